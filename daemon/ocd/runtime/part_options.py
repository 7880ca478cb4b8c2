"""Options of the daemon's parts, from its configuration."""

import socket
import tempfile
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from pathlib import Path

import psutil

from ocd.api.wire import Client
from ocd.browser.process.chromium import ChromiumOptions
from ocd.browser.process.network_rules import has_own_proxy
from ocd.config.loader import Config, environment
from ocd.integrations.webhooks import SignedPosts
from ocd.safety import certificate_errors
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.file_access import FileAccess, project_folders
from ocd.safety.own_servers import NO_SERVERS, OwnServers
from ocd.safety.path_policy import Roots
from ocd.safety.protected_files import ProtectedFiles

# Working directories of clients whose files are remembered.
MAX_CLIENT_FILES = 100


def domain_policy(config: Config, servers: OwnServers = NO_SERVERS) -> DomainPolicy:
    """Return which addresses may be visited; servers: where the daemon itself listens."""
    return DomainPolicy(
        allow=config.allow_domain,
        block=config.block_domain,
        file_roots=file_roots(config),
        own=protected_files(config),
        servers=servers,
    )


def own_servers(config: Config, ports: Iterable[int]) -> OwnServers:
    """Return where the daemon listens with these ports."""
    host = config.http_host
    try:
        everywhere = ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if not everywhere:
        return OwnServers.at([host], ports)
    families = (socket.AF_INET, socket.AF_INET6)
    interfaces = psutil.net_if_addrs().values()
    found = [entry.address for these in interfaces for entry in these if entry.family in families]
    return OwnServers.at([*found, socket.gethostname()], ports)


def protected_files(config: Config) -> ProtectedFiles:
    """Return the files that no caller may name."""
    others = (config.file, config.token_file, config.profile)
    return ProtectedFiles(config.home, config.secrets, others)


def file_access(config: Config, cwd: str, *, has_shell: bool) -> FileAccess:
    """Return the files that a client may name: all if it has a shell, else those below roots.

    cwd: the client's working directory; a host's project folder is a root of its calls.
    """
    own = protected_files(config)
    if has_shell:
        return FileAccess(cwd=cwd, own=own)
    return FileAccess(Roots((*file_roots(config), *project_folders(cwd)), own), cwd)


class ClientFiles:
    """The files that each client may name, by its working directory; some are remembered."""

    def __init__(self, config: Callable[[], Config]) -> None:
        self._config = config
        self._known: dict[tuple[bool, str], FileAccess] = {}

    def of(self, client: Client) -> FileAccess:
        """Return the files of a client: oc's caller has a shell, others have roots."""
        has_shell = client.kind == "oc"
        known = self._known.get((has_shell, client.cwd))
        if known is None:
            if len(self._known) >= MAX_CLIENT_FILES:
                self._known.clear()
            known = file_access(self._config(), client.cwd, has_shell=has_shell)
            self._known[has_shell, client.cwd] = known
        return known

    def forget(self) -> None:
        """Read the configuration again for each client."""
        self._known.clear()


def webhook_posts(config: Config) -> SignedPosts:
    """Return the sender of webhooks, with its signing key."""
    return SignedPosts(
        config.home / "run" / "webhook.key", any_certificate=config.ignore_certificate_errors
    )


def file_roots(config: Config) -> tuple[Path, ...]:
    """Return the folders in which every caller may name files."""
    return (config.home / "files", Path(tempfile.gettempdir()), *config.allow_file_root)


def browser_options(config: Config, policy: DomainPolicy) -> ChromiumOptions:
    """Return how Chromium is started."""
    trust = (certificate_errors.FLAG,) if config.ignore_certificate_errors else ()
    return ChromiumOptions(
        profile=config.profile,
        run_dir=config.home / "run",
        log_dir=config.home / "log",
        browser_path=config.browser_path,
        browser_url=config.browser_url,
        headed=config.headed,
        isolated=config.isolated,
        extra_args=(*config.browser_args, *trust),
        own_proxy=has_own_proxy(config.browser_args, environment()),
        idle_minutes=config.browser_idle_minutes,
        incoming=config.home / "files" / ".incoming",
        policy=policy,
    )
