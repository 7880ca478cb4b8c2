"""The names of what a crawl keeps in its task's folder, besides its pages."""

# A note of each page that was visited or skipped, for a crawl that resumes (frontier_log.py).
FRONTIER = "frontier.jsonl"
# Raw responses (raw_answers.py).
ANSWERS = "answers.jsonl"
# The folder of screenshots and PDFs (kept_files.py).
FILES = "files"
