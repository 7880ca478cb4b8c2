"""[[policy.action]]: which calls are allowed, asked about or refused on which pages."""

from collections.abc import Iterator, Sequence

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.call_context import MayAct
from ocd.calls.egress_policy import IsGranted, address_params
from ocd.config.tables import ActionRule
from ocd.oversight.approvals import ConsentNeededError, Question
from ocd.safety import host_globs
from ocd.safety.host_canonical import Host, host_of
from ocd.safety.origins import origin_of, origin_of_argument
from ocd.safety.session_taint import PolicyRule
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import Params, Verb

# The strictest counts where a call is about several places.
_STRICTNESS: tuple[PolicyRule, ...] = ("allow", "ask", "deny")


def may_act(rules: Sequence[ActionRule], session: str, granted: IsGranted) -> MayAct:
    """Return a function that raises action_denied or consent_needed if a call may not act there.

    granted: what a person has allowed.
    """

    def check_action(verb: str, origins: Sequence[str], *, acts: bool) -> None:
        found = [(_rule(rules, verb, origin, acts=acts), origin) for origin in origins]
        rule, origin = max(found, key=lambda one: _STRICTNESS.index(one[0]))
        if rule == "deny":
            raise _refusal(verb, origin)
        if rule == "ask" and not granted(("action", verb, origin)):
            raise ConsentNeededError(_question(verb, origin, session))

    return check_action


def check(verb: Verb, params: Params, tab_url: str = "") -> None:
    """Raise action_denied or consent_needed if a rule does not allow the call.

    tab_url: the address of the tab that it works on, or an empty string.
    """
    check_action = call_context.current().may_act
    if check_action is not None:
        acts = verb.scope != "daemon" and not verb.reads
        check_action(verb.name, list(_origins(verb, params, tab_url)), acts=acts)


def _origins(verb: Verb, params: Params, tab_url: str) -> Iterator[str]:
    """Yield the origin of the page that the call acts on, and those that it opens."""
    yield origin_of(tab_url)
    for name in (*address_params(verb.params), "urls"):
        value = getattr(params, name, None)
        texts = value.split() if isinstance(value, str) else value or ()
        yield from (origin_of_argument(text) for text in texts if isinstance(text, str))


def _rule(rules: Sequence[ActionRule], verb: str, origin: str, *, acts: bool) -> PolicyRule:
    """Return the decision of the first matching rule; without one the call is allowed."""
    host = host_of(origin) if origin else None
    for rule in rules:
        if _covers_verb(rule, verb, acts=acts) and _covers_origin(rule, origin, host):
            return rule.rule
    return "allow"


def _covers_verb(rule: ActionRule, verb: str, *, acts: bool) -> bool:
    if not rule.verbs:
        return acts
    server = f"{verb.partition(UPSTREAM_MARK)[0]}{UPSTREAM_MARK}*"
    return verb in rule.verbs or (UPSTREAM_MARK in verb and server in rule.verbs)


def _covers_origin(rule: ActionRule, origin: str, host: Host | None) -> bool:
    if rule.origin == "*":
        return True
    if host is None or (rule.scheme and not origin.startswith(f"{rule.scheme}://")):
        return False
    return host_globs.parse(rule.host_glob).covers(host)


def _at(origin: str) -> str:
    return f" at {origin}" if origin else ""


def _question(verb: str, origin: str, session: str) -> Question:
    return Question(
        kind="action", grant=("action", verb, origin),
        message=f"The agent in session {session} wants to run {verb}{_at(origin)}. Allow it?",
        refused=f"{verb}{_at(origin)}", details={"verb": verb, "origin": origin},
    )  # fmt: skip


def _refusal(verb: str, origin: str) -> OcdError:
    return OcdError(
        "action_denied", f"Not allowed: {verb}{_at(origin)}",
        hint="A person can change it: [[policy.action]] in config.toml.", verb=verb, origin=origin,
    )  # fmt: skip
