"""Egress policy: which calls send data to another origin, and whether that is allowed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ocd import call_context
from ocd.call_context import MaySend
from ocd.calls.param_decoding import fields_of
from ocd.calls.path_params import extras_of
from ocd.oversight.approvals import ConsentNeededError, Grant, Question
from ocd.safety.domain_policy import resolve_in_page
from ocd.safety.origins import origin_of, origin_of_argument
from ocd.safety.session_taint import (
    Egress,
    PolicyRule,
    SessionTaints,
    Way,
    exfiltration_error,
    question_text,
    recipient,
)
from ocd.verb_api.declaration import UPSTREAM_ORIGIN, Output, Params, Verb

ReportDeparture = Callable[[dict[str, Any]], None]
# Whether a person has allowed it, for this call or its session.
IsGranted = Callable[[Grant], bool]


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """The egress policy for all sessions.

    rule: as it is configured now; None: ask where that can be done, else allow. report: writes an
    event to the journal.
    """

    rule: Callable[[], PolicyRule | None]
    report: ReportDeparture
    taints: SessionTaints = field(default_factory=SessionTaints)

    def note(
        self, session: str, verb: Verb, params: Mapping[str, Any], output: Output
    ) -> tuple[str, ...]:
        """Remember the origins of text that the session's caller is given, and return them."""
        origins = tuple(dict.fromkeys(_origins_read(verb, params, output)))
        taint = self.taints.of(session)
        for origin in origins:
            taint.read(origin)
        return origins

    def of_session(self, session: str, *, can_ask: bool, granted: IsGranted) -> MaySend:
        """Return the check that raises exfiltration_denied or consent_needed for this session.

        can_ask: whether the host behind the call can ask a person. granted: what a person has
        allowed.
        """
        return lambda way, target: self._judge(session, way, target, can_ask, granted)

    def _judge(
        self,
        session: str,
        way: Way,
        target: str,
        can_ask: bool,
        granted: IsGranted,
    ) -> None:
        read = self.taints.of(session).other_origins_than(target)
        if not read:
            return
        rule = self.rule()
        if rule is None:
            rule = "ask" if can_ask else "allow"
        event = {
            "event": "data_left", "session": session, "way": way, "target": target,
            "after_reading": read[:10],
        }  # fmt: skip
        if rule == "allow":
            self.report({**event, "decision": "allowed"})
        elif rule == "deny":
            self.report({**event, "decision": "refused"})
            raise exfiltration_error(way, target, read)
        elif granted(("data", way, target)):
            self.report({**event, "decision": "confirmed"})
        else:
            raise ConsentNeededError(_question(way, target, read))


def _origins_read(verb: Verb, params: Mapping[str, Any], output: Output) -> Iterator[str]:
    if output.content is None and not verb.page_keys:
        return
    if verb.upstream_params is not None:
        yield output.origin
        return
    page_url = output.data.get("url") if isinstance(output.data, dict) else None
    texts = (text for text in (output.origin, page_url, params.get("url")) if isinstance(text, str))
    if first := next(filter(None, map(origin_of_argument, texts)), ""):
        yield first
    yield from filter(None, map(origin_of, output.origins))


def _question(way: Way, target: str, read: list[str]) -> Question:
    return Question(
        kind="data", grant=("data", way, target), message=question_text(way, target, read),
        refused=f"{way} to {target}", details={"way": way, "target": target, "read": read},
    )  # fmt: skip


def check(verb: Verb, params: Params, tab_url: str = "") -> None:
    """Raise exfiltration_denied or consent_needed if the call may not send what it would.

    tab_url: the address of the tab that it works on, or an empty string.
    """
    may_send = call_context.current().may_send
    for way, target in declared_egress(verb, params, tab_url):
        may_send(way, target)


def declared_egress(verb: Verb, params: Params, tab_url: str) -> Iterator[Egress]:
    """Yield what a call would send, and where, as its verb declares."""
    # What is only read there is named by an address that the server itself has given.
    if verb.upstream_params is not None and not verb.reads:
        yield "upstream", f"{UPSTREAM_ORIGIN}{verb.name.partition('__')[0]}"
    for name in address_params(verb.params):
        address = getattr(params, name)
        if isinstance(address, str) and (to := recipient(resolve_in_page(address, tab_url))):
            yield "address", to
    for name in _files(verb.params):
        if (path := getattr(params, name)) is not None:
            yield "file", str(path)
    if verb.uploads:
        to = origin_of_argument(getattr(params, "base_url", None) or tab_url)
        yield "upload", to or "the configured site"
    if verb.sends is not None:
        yield from verb.sends.to(params, tab_url)


@cache
def address_params(params_type: type[Params]) -> tuple[str, ...]:
    """Return the names of the parameters that are addresses which a call opens."""
    return tuple(
        name for name in fields_of(params_type) if extras_of(params_type)[name].get("sends_to")
    )


@cache
def _files(params_type: type[Params]) -> tuple[str, ...]:
    return tuple(
        name
        for name in fields_of(params_type)
        if extras_of(params_type)[name].get("path") == "write"
    )
