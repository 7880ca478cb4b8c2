"""Chromium's command line, as data."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

# Features that a daemon's browser does not use, or that cost a crawl time: RenderDocument and the
# back/forward cache make a tab's next navigation rebuild everything (25 % of the CPU).
DISABLED_FEATURES = (
    "BackForwardCache",
    "GenerateXSLTWarningBanner",  # a bar of the browser's own within pages that XSLT makes
    "HttpsUpgrades",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "RenderDocument",
    "SpareRendererForSitePerProcess",
    "Translate",
    # These two keep a renderer of some 150 MB for the address bar of each window, even hidden.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
# Features that are off by default: tools that pages offer (browser/tabs/page_tools.py).
ENABLED_FEATURES = ("WebMCP",)
QUIET = (
    # Images below the fold are loaded, for reading and capturing the whole page.
    "--blink-settings=lazyLoadEnabled=false",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
)
_HEADLESS = (
    "--hide-scrollbars",
    "--mute-audio",
    "--disable-gpu",
    # Chromium ends itself, and every session with it, when its GPU process has died six times in
    # few minutes. Without a GPU that process only composes, and is started again at no cost.
    "--disable-gpu-process-crash-limit",
    "--window-size=1280,800",
)
_SHM_ENOUGH = 512 << 20
_ENABLE = "--enable-features="
_DISABLE = "--disable-features="


def command_line(
    binary: str,
    profile: Path,
    *,
    headed: bool,
    extra: Sequence[str] = (),
    root: bool | None = None,
    shm_bytes: int | None = None,
) -> list[str]:
    """Return the complete argument vector; `root` and `shm_bytes` default to this computer's."""
    arguments = [binary, "--remote-debugging-pipe", f"--user-data-dir={profile}", *QUIET]
    arguments += _display(binary, headed=headed)
    if is_root() if root is None else root:
        # As root, Chromium refuses to run with its sandbox; for other users it stays on.
        arguments.append("--no-sandbox")
    if (_shm_bytes() if shm_bytes is None else shm_bytes) < _SHM_ENOUGH:
        arguments.append("--disable-dev-shm-usage")
    return [*_merge_features(arguments, extra), "--no-startup-window"]


def _display(binary: str, *, headed: bool) -> list[str]:
    if headed:
        return []
    if "headless-shell" in Path(binary).name:
        # Log errors only, because it would log what pages print on their consoles.
        return ["--headless", "--enable-logging=none", *_HEADLESS]
    return ["--headless=new", *_HEADLESS]


def _merge_features(arguments: list[str], extra: Sequence[str]) -> list[str]:
    # Chromium only uses the last of each of these switches: the caller's values join ours.
    disabled = _features(_DISABLE, extra, DISABLED_FEATURES)
    to_enable = _features(_ENABLE, extra, ENABLED_FEATURES)
    enabled = [name for name in to_enable if name not in disabled]
    rest = [argument for argument in extra if not argument.startswith((_DISABLE, _ENABLE))]
    return [*arguments, _ENABLE + ",".join(enabled), _DISABLE + ",".join(disabled), *rest]


def _features(switch: str, extra: Sequence[str], ours: Sequence[str]) -> list[str]:
    names = list(ours)
    for argument in extra:
        if argument.startswith(switch):
            names += argument.removeprefix(switch).split(",")
    return list(dict.fromkeys(names))


def is_root() -> bool:
    """Whether this process is the superuser (never on Windows)."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _shm_bytes() -> int:
    if not sys.platform.startswith("linux"):
        return _SHM_ENOUGH
    try:
        stat = os.statvfs("/dev/shm")  # noqa: S108 - measured, not written to
    except OSError:
        return 0
    return stat.f_bavail * stat.f_frsize
