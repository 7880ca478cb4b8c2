"""`ocd run`: the daemon in the foreground."""

from typing import Any

from ocd.cli.flags import given_flags
from ocd.cli.options import with_settings
from ocd.cli.serving import run_daemon


@with_settings
def run(**flags: Any) -> None:  # noqa: ANN401 - flags, decoded by ocd.config.loader
    """Run the daemon in the foreground

    For systemd, launchd and containers. SIGTERM and SIGINT stop it cleanly.
    """
    run_daemon(given_flags(flags))
