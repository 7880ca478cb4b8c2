"""The mail box: opening, deleting, marking, answering and passing on."""

from __future__ import annotations

import re

from field.miniwob.episode import Episode
from field.miniwob.policies import policy


@policy(
    "email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-important",
    "email-inbox-noscroll", "email-inbox-reply", "email-inbox-star-reply",
    "email-inbox-nl-turk", "email-inbox-forward-nl", "email-inbox-forward-nl-turk",
)  # fmt: skip
def work_on_a_mail(page: Episode) -> None:
    task = re.sub(r'"[^"]*"', "", page.instruction)
    source, target = _names(page, task)
    page.click(source)
    if page.quoted():
        page.click("Reply")
        page.fill(page.those("textbox")[-1], page.quoted()[-1])
        page.click(page.hinted("send-reply"))
    elif re.search(r"delete|trash|remove|throw|erase|get rid|anymore", task, re.IGNORECASE):
        page.click("trash")
    elif re.search(r"star|important", task, re.IGNORECASE):
        page.click("star")
    else:
        page.click("Forward")
        page.fill(page.those("textbox")[0], target)
        page.click(page.hinted("send-forward"))


def _names(page: Episode, task: str) -> tuple[str, str]:
    """Return whose mail it is and who else is named."""
    senders = {line.text for line in page.lines()[1:]}
    names = [
        name for name in re.findall(r"\b[A-Z][a-z]+", task)
        if name in senders or re.search(rf"[a-z,] {name}\b", task)
    ]  # fmt: skip
    given = re.search(r"(?:from|by) ([A-Z][a-z]+)|([A-Z][a-z]+)(?:'s| sent| wrote)", task)
    known = [given[1] or given[2]] if given else []
    source = next(name for name in [*known, *names] if name in senders)
    return source, next((name for name in names if name != source), source)
