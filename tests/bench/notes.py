"""What agents write down: memory and skills with ten thousand entries, through the socket."""

import argparse
import time
from pathlib import Path

from bench.daemon import Daemon
from bench.figures import Section, median
from ocd.memory.notes import Notes
from ocd.skills.store import Skill, Skills, SkillStep, skill_id

MANY = 10_000
ANSWER_MS = 5.0
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "memory, record": ("memory", {"action": "record", "key": "tip", "value": "w"}),
    "memory, query a domain": ("memory", {"action": "query", "key": "selector"}),
    "oc_skill_recall, a domain": ("oc_skill_recall", {}),
    "oc_skill_recall, words": ("oc_skill_recall", {"query": "buy kettle 77"}),
}
DOMAIN = "site1.example.org"


def _fill(home: Path) -> None:
    notes, skills = Notes(home / "memory"), Skills(home / "skills")
    for number in range(MANY):
        domain, name = f"site{number % 100}.example.org", f"buy kettle {number}"
        notes.record(domain, f"selector:{number}", f"Buy {number}")
        step = SkillStep(verb="interact", params={"query": "Buy"}, description="interact Buy")
        skills.put(
            Skill(
                skill_id=skill_id(domain, name), domain=domain, name=name, steps=[step],
                stored_at=f"2026-01-01T00:00:{number:05}",
            )
        )  # fmt: skip


def scale(options: argparse.Namespace) -> Section:
    """Time each verb on a daemon with ten thousand notes and as many skills."""
    section = Section("Memory and skills with 10,000 entries each")
    with Daemon() as daemon:
        daemon.run("stop")
        daemon.connection.close()
        _fill(Path(daemon.home))
        daemon.run("start")
        for name, (verb, params) in CALLS.items():
            taken = []
            for _ in range(20 * options.rounds):
                started = time.perf_counter()
                daemon.call(verb, domain=DOMAIN, **params)
                taken.append((time.perf_counter() - started) * 1000)
            section.at_most(name, median(taken), ANSWER_MS, "ms")
    return section
