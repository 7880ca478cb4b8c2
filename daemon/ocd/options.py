"""What single parts of the daemon are told of its configuration."""

import tempfile
from pathlib import Path

from ocd.browser.chromium import ChromiumOptions
from ocd.config import Config
from ocd.safety import certificates
from ocd.safety.belongings import Belongings
from ocd.safety.domains import DomainPolicy


def domain_policy(config: Config) -> DomainPolicy:
    """Return which addresses may be visited."""
    return DomainPolicy(
        allow=config.allow_domain,
        block=config.block_domain,
        file_roots=shared_roots(config),
        own=belongings(config),
    )


def belongings(config: Config) -> Belongings:
    """Return the files that no caller may name."""
    others = (config.file, config.token_file, config.profile)
    return Belongings(config.home, config.secrets, others)


def shared_roots(config: Config) -> tuple[Path, ...]:
    """Return the folders in which every caller may name files."""
    return (config.home / "files", Path(tempfile.gettempdir()), *config.allow_file_root)


def _trust(config: Config) -> tuple[str, ...]:
    return (certificates.FLAG,) if config.ignore_certificate_errors else ()


def browser_options(config: Config, policy: DomainPolicy) -> ChromiumOptions:
    """Return how Chromium is started."""
    return ChromiumOptions(
        profile=config.profile,
        run_dir=config.home / "run",
        log_dir=config.home / "log",
        browser_path=config.browser_path,
        browser_url=config.browser_url,
        headed=config.headed,
        isolated=config.isolated,
        extra_args=(*config.browser_args, *_trust(config)),
        idle_minutes=config.browser_idle_minutes,
        incoming=config.home / "files" / ".incoming",
        policy=policy,
    )
