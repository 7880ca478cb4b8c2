"""Where Chromium may stand on this computer."""


def find_browser(configured: str | None, *, headed: bool, environ_path: str | None = None) -> str:
    """Return the browser's executable; browser_not_found tells what was tried."""
    raise NotImplementedError
