"""The domain policy as Chromium's own network rules, for what the request guard cannot see.

CDP's Fetch domain pauses neither WebSocket handshakes nor WebTransport, WebRTC, reports, preconnect
and dns-prefetch. All of them take their connections from Chromium's network service, and that obeys
its command line:

- Hosts that are not allowed go through a proxy that does not exist; allowed ones go directly.
- Blocked hosts, and the daemon's own ports, resolve to nothing.
- WebRTC speaks no UDP, and its TCP obeys both. No alternative service opens QUIC elsewhere.

They cost nothing per request, and hold from Chromium's start: other rules need another start.
"""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address

from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.host_globs import Glob, parse

_RESOLVER = "--host-resolver-rules="
_PROXIES = ("--proxy-server", "--proxy-pac-url", "--proxy-auto-detect", "--no-proxy-server")
_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "auto_proxy", "socks_server")
# A name that is reserved as non-existent, and not even resolved.
_NOWHERE = "refused-by-domain-policy.invalid"
_NOTHING = "~NOTFOUND"
_WITHOUT_LEAKS = (
    "--disable-quic",
    # Under its names in Chrome and in headless shells.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def has_own_proxy(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether the user's arguments or environment set how Chromium reaches the network."""
    has_argument = any(argument.partition("=")[0] in _PROXIES for argument in arguments)
    return has_argument or any(
        value and name.lower() in _VARIABLES for name, value in environ.items()
    )


def apply_network_rules(
    arguments: Sequence[str], policy: DomainPolicy, *, own_proxy: bool
) -> tuple[str, ...]:
    """Return the user's arguments with those that make Chromium obey the policy.

    Chromium only uses the last --host-resolver-rules: the user's are appended to ours, and the
    first that matches wins. own_proxy: the user has a proxy, which stays the only one, and must
    itself refuse what the policy refuses.
    """
    resolver = [f"MAP {pattern} {_NOTHING}" for pattern in _blocked_hosts(policy)]
    added: list[str] = []
    if not policy.empty:
        added += _WITHOUT_LEAKS
    if policy.allow and not own_proxy:
        allowed = map(parse, policy.allow)
        bypass = [_with_port(name, glob.port) for glob in allowed for name in _spellings(glob)]
        added += [
            f"--proxy-server=http://{_NOWHERE}:9",
            # The first entry cancels the rule that loopback never goes through a proxy.
            "--proxy-bypass-list=" + ";".join(["<-loopback>", *bypass]),
        ]
        resolver.append(f"MAP {_NOWHERE} {_NOTHING}")
    if not resolver:
        return (*arguments, *added)
    rest = [argument for argument in arguments if not argument.startswith(_RESOLVER)]
    own_rules = [argument for argument in arguments if argument.startswith(_RESOLVER)][-1:]
    rules = [*resolver, *(argument.removeprefix(_RESOLVER) for argument in own_rules)]
    return (*rest, *added, _RESOLVER + ", ".join(rules))


def _blocked_hosts(policy: DomainPolicy) -> Iterator[str]:
    for glob in (*map(parse, policy.block), *policy.servers.globs):
        for name in _spellings(glob):
            # Without a port the resolver's patterns write an IPv6 address without brackets.
            yield name if glob.port is None else _with_port(name, glob.port)


def _spellings(glob: Glob) -> Iterator[str]:
    """Yield the host patterns of Chromium that a glob stands for."""
    names = [glob.name.removeprefix("*."), glob.name] if glob.name.startswith("*.") else [glob.name]
    for name in names:
        yield name
        try:
            address = ip_address(name)
        except ValueError:
            if ":" not in name and not name.endswith("*"):
                yield f"{name}."  # a different name for Chromium, the same in DNS
            continue
        if address.version == 4:
            high, low = divmod(int(address), 1 << 16)
            yield f"::ffff:{high:x}:{low:x}"


def _with_port(name: str, port: int | None) -> str:
    bracketed = f"[{name}]" if ":" in name else name
    return bracketed if port is None else f"{bracketed}:{port}"
