"""The daemon's own HTTP ports, which no page may reach. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ocd.safety.host_canonical import Host, canonical_host
from ocd.safety.host_globs import Glob

# Every spelling of this machine that needs no name server; the last as Chromium writes it.
_LOOPBACK = (
    *("localhost", "*.localhost", "127.*", "::1", "::ffff:7f*"),
    *("0.0.0.0", "::", "::ffff:0:0"),  # noqa: S104 - refused, not listened at
)


@dataclass(frozen=True, slots=True)
class OwnServers:
    """Where the daemon listens: names and addresses, as globs, and the ports there."""

    names: tuple[str, ...] = ()
    ports: frozenset[int] = frozenset()

    @classmethod
    def at(cls, hosts: Iterable[str], ports: Iterable[int]) -> "OwnServers":
        """Return the servers of these ports at these hosts, and at loopback."""
        # An idle daemon listens at localhost and needs no URL parser to know it: 4 MB.
        others = (host.partition("%")[0] for host in hosts if host not in _LOOPBACK)
        own = map(canonical_host, others)
        return cls(tuple(dict.fromkeys((*_LOOPBACK, *own))), frozenset(ports))

    @property
    def globs(self) -> tuple[Glob, ...]:
        """One glob for each name at each port."""
        return tuple(Glob(name, port) for port in sorted(self.ports) for name in self.names)

    def covers(self, host: Host) -> bool:
        """Return whether the host is one of them."""
        return host.port in self.ports and any(glob.covers(host) for glob in self.globs)


NO_SERVERS = OwnServers()
