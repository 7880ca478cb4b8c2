"""Which verbs may be called at all: the maximum that --tools-only and --disable-tools fix."""

from collections.abc import Iterable, Mapping
from typing import get_args

from ocd.api.errors import OcdError
from ocd.verb import Capability, Verb

GROUPS: tuple[str, ...] = get_args(Capability)
# Without these nobody could redeem a handle or end what a long verb started.
_ALWAYS = frozenset({"oc_output_fetch", "oc_output_search", "expand_tools"})
_WITH_LONG = frozenset({"oc_task_get", "oc_task_wait", "oc_task_cancel"})


class Capabilities:
    """The maximum set of verbs of this daemon; listing, starting and calling all ask here."""

    def __init__(self, verbs: Mapping[str, Verb], only: Iterable[str], disabled: Iterable[str]):
        kept = set(only) or set(GROUPS)
        kept -= set(disabled)
        allowed = {verb.name for verb in verbs.values() if verb.capability in kept}
        if any(verbs[name].long for name in allowed):
            allowed |= _WITH_LONG
        self._allowed = frozenset((allowed | _ALWAYS) & verbs.keys())

    def check(self, verb: Verb) -> None:
        """Raise CAPABILITY_DISABLED if the verb is outside the maximum."""
        if verb.name not in self._allowed:
            raise OcdError(
                "CAPABILITY_DISABLED",
                f"{verb.name} needs the capability '{verb.capability}', which is disabled here",
                hint=f"Start ocd with '{verb.capability}' among its capabilities.",
                capability=verb.capability,
            )

    def __contains__(self, name: str) -> bool:
        return name in self._allowed

    def __repr__(self) -> str:
        return f"Capabilities({len(self._allowed)} verbs)"
