"""One-time passwords: a person adds the seed at a shell, and only codes are returned."""

import base64
import stat
import time
from collections.abc import Callable

import pyotp
import pytest

from support.daemon import Daemon

pytestmark = pytest.mark.usefixtures("headless_shell")

SEED = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def own(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon that has no keyring to talk to."""
    return make_daemon(
        PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring",
        OPENCHROME_TOTP_EXAMPLE_COM=SEED,
    )


class Short(pyotp.TOTP):
    """pyotp refuses seeds as short as many sites still give."""

    def byte_secret(self) -> bytes:
        return base64.b32decode(self.secret)


def _codes(seed: str = SEED, **how: int) -> set[str]:
    """The code of now and its neighbours: a test may stand on the boundary."""
    totp = Short(seed, **how)
    return {totp.at(int(time.time()) + step * totp.interval) for step in (-1, 0, 1)}


def test_an_added_seed_makes_codes(own: Daemon) -> None:
    """`oc totp add` reads it from stdin; the verb returns the code and how long it is valid."""
    done = own.oc("totp", "add", "example.org", "--json", stdin=f"{SEED}\n").ok()
    assert done.json["result"] == {"domain": "example.org", "kept_in": "file", "replaced": False}
    assert "No keyring is available" in own.oc("totp", "add", "example.org", stdin=SEED).ok().err
    made = own.do("oc_totp_generate", domain="example.org")
    assert made["code"] in _codes()
    assert 0 <= made["seconds_remaining"] <= 30
    assert own.oc("totp", "generate", "example.org").ok().out


def test_seed_is_stored_only_in_its_file(own: Daemon) -> None:
    """Not in logs, journal, results or lists; its file is for its owner only."""
    own.oc("totp", "add", "example.org", stdin=SEED).ok()
    own.do("oc_totp_generate", domain="example.org")
    assert SEED not in own.oc("totp", "list", "--json").ok().out
    holders = [path for path, data in own.home.contents() if SEED.encode() in data]
    assert holders == [own.home.path / "secrets" / "totp.json"]
    assert stat.S_IMODE(holders[0].stat().st_mode) == 0o600


def test_otpauth_urls_keep_their_settings(own: Daemon) -> None:
    """otpauth:// says digits, period and algorithm."""
    address = f"otpauth://totp/Shop:ada?secret={SEED}&issuer=Shop&digits=8&period=60"
    own.oc("totp", "add", "shop.example", stdin=address).ok()
    made = own.do("oc_totp_generate", domain="https://login.shop.example/x")
    assert made["domain"] == "shop.example"
    assert made["code"] in _codes(digits=8, interval=60)


def test_seed_from_the_environment(own: Daemon) -> None:
    """OPENCHROME_TOTP_EXAMPLE_COM is example.com's, and of what is below it."""
    assert own.do("oc_totp_generate", domain="example.com")["code"] in _codes()
    assert own.do("oc_totp_generate", domain="www.example.com")["domain"] == "example.com"


def test_missing_and_removed_seeds_are_not_found(own: Daemon) -> None:
    """The hint says what a person has to do."""
    error = own.call("oc_totp_generate", domain="example.net").error
    assert error["code"] == "not_found"
    assert "oc totp add example.net" in error["hint"]
    own.oc("totp", "add", "example.net", stdin=SEED).ok()
    own.oc("totp", "remove", "example.net").ok()
    assert own.call("oc_totp_generate", domain="example.net").code == "not_found"
    assert own.oc("totp", "remove", "example.net").code == 2
    assert own.call("oc_totp_generate", domain="a b").error["parameter"] == "domain"


def test_an_invalid_seed_is_refused_without_being_repeated(own: Daemon) -> None:
    """The error says what a seed is, not what was passed."""
    done = own.oc("totp", "add", "example.org", stdin="not-a-seed-0189")
    assert done.code == 1
    assert "base32" in done.err
    assert "0189" not in done.err
    assert own.oc("totp", "add", "example.org", stdin="").code == 2


def test_seeds_survive_a_restart_and_a_broken_file_is_not_overwritten(own: Daemon) -> None:
    """What cannot be read is named by its path, and never overwritten."""
    own.oc("totp", "add", "example.org", stdin=SEED).ok()
    own.restart()
    assert own.do("oc_totp_generate", domain="example.org")["code"] in _codes()
    file = own.home.path / "secrets" / "totp.json"
    file.write_text("{broken")
    error = own.call("oc_totp_generate", domain="example.org").error
    assert (error["code"], error["path"]) == ("unreadable_file", str(file))
    assert own.oc("totp", "add", "example.net", stdin=SEED).code == 1
    assert file.read_text() == "{broken"
