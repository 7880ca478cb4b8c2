"""Certificate errors: how they are explained, and how they can be accepted."""

from ocd.api.errors import OcdError

# The same for Chromium and for ocd.
FLAG = "--ignore-certificate-errors"
HINT = (
    f"Only if you know this server: `ocd restart {FLAG}`, "
    "or ignore_certificate_errors = true in config.toml."
)
_ERRORS = "net::ERR_CERT_"
_REASONS = {
    "AUTHORITY_INVALID": "it is not signed by an authority that this browser trusts (self-signed?)",
    "COMMON_NAME_INVALID": "it was issued for another host",
    "DATE_INVALID": "it has expired, or is not valid yet",
    "REVOKED": "it was revoked",
}


def certificate_error(url: str, host: str, net_error: str) -> OcdError | None:
    """Return certificate_invalid if Chromium's error text means that, else None."""
    if not net_error.startswith(_ERRORS):
        return None
    reason = _REASONS.get(net_error.removeprefix(_ERRORS), net_error.removeprefix("net::"))
    message = f"The certificate of {host} is not valid: {reason}."
    return OcdError("certificate_invalid", message, hint=HINT, url=url, net_error=net_error)


def crawl_override_error() -> OcdError:
    """Return the error of a crawl that would accept any certificate where none may."""
    return OcdError(
        "disabled", "Crawls may not accept invalid certificates here",
        hint="Set allow_certificate_errors = true in config.toml, and restart the daemon.",
    )  # fmt: skip
