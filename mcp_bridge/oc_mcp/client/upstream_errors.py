"""The errors that callers get of a server behind the gateway."""

from mcp.shared.exceptions import MCPError

from oc_mcp.client.stdio_transport import TOO_LARGE
from ocd.api.errors import OcdError


def gone_error(upstream: str, why: str, restarts_in_s: float) -> OcdError:
    """Return the error of a server that is not connected."""
    when = f" It restarts in {restarts_in_s:.0f} s." if restarts_in_s > 0 else ""
    return OcdError(
        "upstream_gone", f"The MCP server '{upstream}' is unavailable: {why[:300]}",
        hint=f"Try again.{when} See its state: oc mcp upstreams", upstream=upstream,
    )  # fmt: skip


def tool_error(upstream: str, tool: str, error: MCPError) -> OcdError:
    """Return the error of a call that a server, or the limit of its answer, has refused."""
    if error.error.message == TOO_LARGE:
        return OcdError(
            "upstream_failed", f"{TOO_LARGE}: '{tool[:200]}' of the MCP server '{upstream}'",
            hint="Request less, or one part at a time.", upstream=upstream, tool=tool[:200],
        )  # fmt: skip
    return OcdError(
        "upstream_failed", f"The MCP server '{upstream}' refused the call of '{tool[:200]}'",
        hint="Its own message is in untrusted_text.",
        upstream=upstream, tool=tool[:200], rpc_code=error.error.code,
        untrusted_text=error.error.message[:4000],
    )  # fmt: skip
