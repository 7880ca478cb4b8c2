"""Each session's latest actions, in memory; a skill can be made of them afterwards."""

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from ocd.api.bounded_dict import BoundedDict
from ocd.call_context import TouchedElements
from ocd.recording.active_recording import describe_targets
from ocd.safety.param_redaction import RedactedParams
from ocd.safety.redact import redact_url
from ocd.verb_api.declaration import Verb

MAX_ACTIONS = 100
MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """An ended action: its verb, parameters and touched elements; error: its code."""

    verb: Verb
    params: RedactedParams
    touched: TouchedElements
    error: str | None
    tab_id: str | None
    url: str

    def to_dict(self, seq: int) -> dict[str, Any]:
        """Return it as recordings have their actions, without secrets."""
        return {
            "seq": seq,
            "verb": self.verb.name,
            "params": self.params.written(self.touched.password_fields, self.error),
            "ok": self.error is None,
            "error": {"code": self.error} if self.error else None,
            "reads": not self.verb.acts,
            "url_before": redact_url(self.url),
            **({"tab_id": self.tab_id} if self.tab_id else {}),
            **describe_targets(self.touched),
        }


@dataclass(frozen=True, slots=True)
class RecentActions:
    """The latest actions of sessions, oldest first; of the sessions, those used last."""

    _sessions: BoundedDict[str, deque[ActionRecord]] = field(
        default_factory=lambda: BoundedDict[str, deque[ActionRecord]](MAX_SESSIONS)
    )

    def note(self, session: str, action: ActionRecord) -> None:
        """Record an action, unless it consists of nested ones or is about our own records."""
        verb = action.verb
        if action.touched.nested_calls or not verb.is_action or verb.name.startswith("oc_"):
            return
        actions = self._sessions.get(session) or deque[ActionRecord](maxlen=MAX_ACTIONS)
        self._sessions[session] = actions
        actions.append(replace(action, params=action.params.shortened()))

    def last(self, session: str, count: int = MAX_ACTIONS) -> list[dict[str, Any]]:
        """Return a session's last actions, oldest first; failed ones do not count."""
        actions = self._sessions.get(session, ())
        done = [action for action in actions if action.error is None][-count:]
        return [action.to_dict(seq) for seq, action in enumerate(done, 1)]
