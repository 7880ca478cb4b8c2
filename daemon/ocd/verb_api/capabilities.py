"""The verbs that may be called: the maximum set by --tools-only and --disable-tools."""

from collections.abc import Iterable, Mapping

from ocd.api.errors import OcdError
from ocd.api.wire import CAPABILITY_GROUPS, Capability
from ocd.verb_api.declaration import Verb

# It parts a tool's name from the name of the server that has it; no verb of ours has it.
UPSTREAM_MARK = "__"
# Without these nobody could redeem a handle or end what a long verb started.
_ALWAYS = frozenset({"oc_output_fetch", "oc_output_search", "expand_tools"})
_WITH_LONG = frozenset({"oc_task_get", "oc_task_wait", "oc_task_cancel"})

# How the verbs of a group are called, in every OpenChrome: what is asked for by such a name where
# its group is off is disabled, not unknown, whether or not this version has it.
_FAMILIES: Mapping[str, Capability] = {
    "workflow_": "workflow",
    "oc_recording_": "recording",
    "crawl": "crawl",
    "batch_": "crawl",
    "worker_": "crawl",
    "oc_context_": "storage",
    "oc_totp_": "totp",
}


class Capabilities:
    """The maximum set of verbs of this daemon; listing, starting and calling all ask here."""

    def __init__(self, verbs: Mapping[str, Verb], only: Iterable[str], disabled: Iterable[str]):
        """`only`, `disabled`: groups; without `only` all that are not disabled are allowed."""
        self._verbs = verbs
        self.groups = (frozenset(only) or frozenset(CAPABILITY_GROUPS)) - frozenset(disabled)
        allowed = {verb.name for verb in verbs.values() if verb.capability in self.groups}
        if any(verbs[name].long for name in allowed):
            allowed |= _WITH_LONG
        self.names = frozenset((allowed | _ALWAYS) & verbs.keys())

    def check(self, name: str, group: str) -> None:
        """Raise CAPABILITY_DISABLED if the verb `name` of this group is not allowed."""
        if name not in self:
            raise _disabled_error(name, group)

    def check_unknown(self, name: str) -> None:
        """Raise CAPABILITY_DISABLED if an unknown name belongs to a group that is not allowed."""
        group = next((g for prefix, g in _FAMILIES.items() if name.startswith(prefix)), None)
        if UPSTREAM_MARK in name:
            group = "upstream"
        if group is not None and group not in self.groups:
            raise _disabled_error(name, group)

    def __contains__(self, name: str) -> bool:
        if UPSTREAM_MARK in name:
            # What other servers offer is not known beforehand: they are in or out together.
            return "upstream" in self.groups
        return name in self.names

    def narrow(self, only: Iterable[str], disabled: Iterable[str]) -> "Capabilities":
        """Return the part of this set that one connection's own filters leave."""
        inside = {name: self._verbs[name] for name in sorted(self.names)}
        narrower = Capabilities(inside, only, disabled)
        narrower.groups &= self.groups
        return narrower

    def __repr__(self) -> str:
        return f"Capabilities({len(self.names)} verbs)"


def _disabled_error(name: str, group: str) -> OcdError:
    return OcdError(
        "CAPABILITY_DISABLED",
        f"{name} needs the capability '{group}', which is disabled here",
        hint="Check --tools-only and --disable-tools, of ocd and of this host's oc-mcp.",
        capability=group,
    )
