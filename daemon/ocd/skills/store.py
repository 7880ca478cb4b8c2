"""Skills: recorded steps, bound to a contract that says whether they worked.

    skills/skills.jsonl     see storage.keyed_log

Recalled skills are ranked by the outcomes of their replays; the index is in memory.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.memory.notes import domain_of
from ocd.skills.index import RecallQuery, SkillIndex
from ocd.storage.keyed_log import KeyedLog

MAX_SKILLS = 20_000
# A skill that failed this many times in a row is quarantined.
QUARANTINE_STREAK = 3
_REPLAY_WEIGHT, _MAX_COUNTED_REPLAYS = 0.025, 10
_LAST_REPLAY_WEIGHT = 0.2

Outcome = Literal["pass", "fail", "inconclusive", "broken"]
Status = Literal["unproven", "proven", "quarantined"]


class SkillStep(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a skill.

    targets: the elements that it is about, as recordings describe them. tab: which of the skill's
    tabs it works on, if it has several.
    """

    verb: str
    params: dict[str, Any]
    description: str = ""
    targets: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    tab: str | None = None


class ReplayStats(msgspec.Struct, frozen=True, kw_only=True):
    """Outcomes of replays; `broken`: a step failed. streak: how many since the last pass."""

    passes: int = 0
    fails: int = 0
    inconclusive: int = 0
    broken: int = 0
    streak: int = 0
    last: Outcome | None = None

    def after(self, outcome: Outcome) -> "ReplayStats":
        """Return the tally with one more replay."""
        names: dict[Outcome, str] = {
            "pass": "passes", "fail": "fails", "inconclusive": "inconclusive", "broken": "broken",
        }  # fmt: skip
        counted = {names[outcome]: getattr(self, names[outcome]) + 1}
        bad = outcome in ("fail", "broken")
        streak = self.streak + 1 if bad else 0 if outcome == "pass" else self.streak
        return replace(self, **counted, streak=streak, last=outcome)


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """A skill; times are RFC 3339 UTC. parameters: names of values that a replay needs."""

    skill_id: str
    domain: str
    name: str
    steps: list[SkillStep]
    stored_at: str
    description: str = ""
    contract: Any = None
    contract_id: str | None = None
    parameters: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    recorded_verdict: str | None = None
    last_used_at: str = ""
    replays: ReplayStats = msgspec.field(default_factory=ReplayStats)

    @property
    def status(self) -> Status:
        """What replays have shown: that it works, that it no longer does, or nothing yet."""
        if self.replays.streak >= QUARANTINE_STREAK:
            return "quarantined"
        return "proven" if self.replays.passes else "unproven"

    @property
    def rank(self) -> float:
        """The share of its score that comes from replays."""
        stats = self.replays
        bad = stats.fails + stats.broken
        last = {
            "pass": _LAST_REPLAY_WEIGHT,
            "fail": -_LAST_REPLAY_WEIGHT,
            "broken": -_LAST_REPLAY_WEIGHT,
        }.get(stats.last or "", 0.0)
        counted = min(stats.passes, _MAX_COUNTED_REPLAYS) - min(bad, _MAX_COUNTED_REPLAYS)
        return round(_REPLAY_WEIGHT * counted + last, 3)

    @property
    def search_text(self) -> str:
        """The text that a recall's words are searched in."""
        return " ".join((self.name, self.description, *(step.description for step in self.steps)))

    def has_same_steps(self, other: "Skill") -> bool:
        """Return whether both have the same steps and the same contract."""
        return [(s.verb, s.params) for s in self.steps] == [
            (s.verb, s.params) for s in other.steps
        ] and self.contract == other.contract


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Skills with their scores, how many fit, and how many of these were held back."""

    found: list[tuple[float, Skill]]
    total: int
    hidden: int


def skill_id(domain: str, name: str) -> str:
    """Return the id of the skill with this domain and name, of which there can be one."""
    data = f"{domain}\0{name}".encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()[:16]


class Skills:
    """All skills of a home; for threads, as it blocks on its first use and on writes."""

    def __init__(self, folder: Path, *, most: int = MAX_SKILLS) -> None:
        self.store = KeyedLog(folder / "skills.jsonl", Skill, listener=self._on_change)
        self._max_count = most
        self._index = SkillIndex()

    def _on_change(self, key: str, old: Skill | None, new: Skill | None) -> None:
        if old is not None:
            self._index.remove(key, old)
        if new is not None:
            self._index.add(key, new)

    def put(self, skill: Skill) -> tuple[Skill, bool, list[str]]:
        """Store a skill under its domain and name; an equal one's replay counts are kept.

        Second: whether there was one. Third: the ids of those that had to go for it.
        """
        with self.store.hold() as skills:
            old = skills.get(skill.skill_id)
            if old is not None and old.has_same_steps(skill):
                skill = replace(skill, replays=old.replays, last_used_at=old.last_used_at)
            self.store.put(skill.skill_id, skill)
            return (
                skill,
                old is not None,
                self.store.evict(
                    skill.skill_id, self._max_count, lambda s: (s.rank, s.last_used_at)
                ),
            )

    def get(self, skill_id: str) -> Skill:
        """Return a skill by its id; not_found."""
        with self.store.hold() as skills:
            skill = skills.get(skill_id)
        if skill is None:
            raise OcdError(
                "not_found", f"There is no skill {skill_id[:200]!r}",
                hint="Find skills: `oc_skill_recall`", skill_id=skill_id[:200],
            )  # fmt: skip
        return skill

    def find_by_name(self, name: str, domain: str | None) -> Skill:
        """Return a skill by its name, in a domain or in any; not_found, ambiguous."""
        if domain is not None:
            return self.get(skill_id(domain_of(domain), name))
        with self.store.hold() as skills:
            found = [skill for skill in skills.values() if skill.name == name]
        if len(found) > 1:
            raise OcdError(
                "ambiguous", f"{len(found)} skills are called {name[:200]!r}",
                hint="Pass the domain, or the skill_id.",
                candidates=[f"{skill.domain}: {skill.skill_id}" for skill in found[:10]],
            )  # fmt: skip
        return found[0] if found else self.get(name)

    def record_replay(
        self, skill_id: str, outcome: Outcome, resolved_steps: list[SkillStep] | None
    ) -> Skill | None:
        """Count a replay and keep its resolved steps; None if the skill has been deleted
        meanwhile."""
        with self.store.hold() as skills:
            skill = skills.get(skill_id)
            if skill is None:
                return None
            steps = (
                resolved_steps
                if resolved_steps and _alike(resolved_steps, skill.steps)
                else skill.steps
            )
            tally = skill.replays.after(outcome)
            skill = replace(skill, replays=tally, last_used_at=now(), steps=steps)
            self.store.put(skill_id, skill)
        return skill

    def contract(self, contract_id: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the contract that a skill has stored under this name, or None."""
        with self.store.hold() as skills:
            for skill in skills.values():
                if skill.contract_id == contract_id and skill.contract is not None:
                    return skill.contract
        return None

    def recall(self, query: RecallQuery) -> RecallResult:
        """Return the skills that fit, best first; see the verb oc_skill_recall."""
        with self.store.hold() as skills:
            ids, total, hidden = self._index.search(query)
            found = [(score, skills[key]) for score, key in ids]
        return RecallResult(found, total, hidden)

    def __repr__(self) -> str:
        return f"Skills({self.store!r})"


def _alike(resolved_steps: list[SkillStep], steps: list[SkillStep]) -> bool:
    return [(s.verb, s.params) for s in resolved_steps] == [(s.verb, s.params) for s in steps]
