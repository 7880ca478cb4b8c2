"""The latest actions of every session, in memory: what a skill can be made of afterwards."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ocd.call_context import TouchedElements
from ocd.recording.active_recording import MAX_CHARACTERS, targets_of
from ocd.recording.param_redaction import redacted_params, truncate
from ocd.safety.redact import redact_url
from ocd.verb_api.declaration import Verb

MAX_ACTIONS = 100
MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """An action that has ended: its verb, what the caller wrote, what it met; error: its code."""

    verb: Verb
    params: Mapping[str, Any]
    met: TouchedElements
    error: str | None
    tab_id: str | None
    url: str

    def to_dict(self, seq: int) -> dict[str, Any]:
        """Return it as recordings have their actions, without secrets."""
        return {
            "seq": seq,
            "verb": self.verb.name,
            "params": redacted_params(self.params, self.met, self.error, MAX_CHARACTERS),
            "ok": self.error is None,
            "error": {"code": self.error} if self.error else None,
            "reads": not self.verb.acts,
            "url_before": redact_url(self.url),
            **({"tab_id": self.tab_id} if self.tab_id else {}),
            **targets_of(self.met),
        }


@dataclass(frozen=True, slots=True)
class RecentActions:
    """The latest actions of sessions, oldest first; of the sessions, those used last."""

    _sessions: dict[str, deque[ActionRecord]] = field(
        default_factory=dict[str, deque[ActionRecord]]
    )

    def note(self, session: str, trace: ActionRecord) -> None:
        """Take down an action, unless it was made of others or is about our own records."""
        if trace.met.calls or not trace.verb.is_action or trace.verb.name.startswith("oc_"):
            return
        trail = self._sessions.pop(session, None)
        if trail is None:
            trail = deque[ActionRecord](maxlen=MAX_ACTIONS)
            if len(self._sessions) >= MAX_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        self._sessions[session] = trail
        trail.append(trace)

    def last(self, session: str, count: int = MAX_ACTIONS) -> list[dict[str, Any]]:
        """Return a session's last actions, oldest first; failed ones do not count."""
        trail = self._sessions.get(session, ())
        done = [trace for trace in trail if trace.error is None][-count:]
        return [trace.to_dict(seq) for seq, trace in enumerate(done, 1)]


def shorten(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a trail keeps of parameters: long strings are cut."""
    short: Mapping[str, Any] = truncate(params, MAX_CHARACTERS)
    return short
