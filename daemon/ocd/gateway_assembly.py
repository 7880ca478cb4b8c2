"""Our verbs and the tools of other servers on one shelf, as verbs about verbs see them."""

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from ocd.gateway.gateway import Gateway
from ocd.verb_api.capabilities import Capabilities
from ocd.verbs.tool_discovery import ToolCatalog


def toolbox(
    entries: dict[str, dict[str, Any]], gateway: Gateway, capabilities: Capabilities
) -> ToolCatalog:
    """Return the toolbox over catalog entries and what the gateway offers at any time."""
    own: dict[str, Mapping[str, Any]] = {**entries}
    shown = ChainMap(own, gateway.entries)

    def check(name: str) -> None:
        capabilities.check_entry(name, shown[name]["capability"])

    return ToolCatalog(shown, check, capabilities.check_unknown, gateway.settle)
