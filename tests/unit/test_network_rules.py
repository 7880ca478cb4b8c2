"""The domain policy as Chromium's arguments, and where the daemon listens."""

import pytest

from ocd.browser.process import network_rules
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.own_servers import OwnServers


def apply_network_rules(arguments: list[str], policy: DomainPolicy) -> tuple[str, ...]:
    own_proxy = network_rules.has_own_proxy(arguments, {})
    return network_rules.apply_network_rules(arguments, policy, own_proxy=own_proxy)


def value(arguments: tuple[str, ...], flag: str) -> str:
    """Return what the flag is given; fail unless it stands there once."""
    (found,) = [one.partition("=")[2] for one in arguments if one.partition("=")[0] == flag]
    return found


def test_without_a_policy_nothing_is_added():
    assert apply_network_rules(["--x"], DomainPolicy()) == ("--x",)


def test_allowed_hosts_bypass_the_dead_proxy():
    rules = apply_network_rules([], DomainPolicy(allow=("*.a.test", "[::1]:80", "10.0.0.1")))
    bypass = value(rules, "--proxy-bypass-list").split(";")
    assert bypass[0] == "<-loopback>"
    assert set(bypass[1:]) == {
        *("a.test", "a.test.", "*.a.test", "*.a.test."),
        *("[::1]:80", "10.0.0.1", "[::ffff:a00:1]"),
    }
    assert value(rules, "--proxy-server").endswith(".invalid:9")
    assert value(rules, "--host-resolver-rules").endswith(".invalid ~NOTFOUND")


def test_blocked_hosts_resolve_to_nothing_before_the_users_rules():
    given = ["--host-resolver-rules=MAP old 1.1.1.1", "--host-resolver-rules=MAP b.test 127.0.0.1"]
    rules = apply_network_rules([*given, "--y"], DomainPolicy(block=("b.test", "::1", "c.test:8")))
    assert value(rules, "--host-resolver-rules").split(", ") == [
        "MAP b.test ~NOTFOUND",
        "MAP b.test. ~NOTFOUND",
        "MAP ::1 ~NOTFOUND",
        "MAP c.test:8 ~NOTFOUND",
        "MAP c.test.:8 ~NOTFOUND",
        "MAP b.test 127.0.0.1",
    ]
    assert "--y" in rules
    assert not any(rule.startswith("--proxy") for rule in rules)


@pytest.mark.parametrize("flag", ["--proxy-server=http://p:1", "--proxy-pac-url=http://p/pac"])
def test_a_configured_proxy_stays(flag: str):
    rules = apply_network_rules([flag], DomainPolicy(allow=("a.test",)))
    assert [rule for rule in rules if rule.startswith("--proxy")] == [flag]


def test_a_proxy_of_the_environment_stays():
    assert network_rules.has_own_proxy([], {"HTTPS_PROXY": "http://p:1"})
    assert not network_rules.has_own_proxy(["--no-first-run"], {"http_proxy": "", "no_proxy": "x"})


def test_own_ports_are_refused_under_every_name_of_this_machine():
    policy = DomainPolicy(servers=OwnServers.at(["192.168.7.7"], [8931]))
    rules = value(apply_network_rules([], policy), "--host-resolver-rules")
    for pattern in ("localhost:8931", "*.localhost:8931", "127.*:8931", "[::1]:8931"):
        assert f"MAP {pattern} ~NOTFOUND" in rules
    for host in ("LOCALHOST.", "x.localhost", "127.9", "0x7f000001", "[::]", "192.168.7.7"):
        assert not policy.allows(f"ws://{host}:8931/mcp"), host
    assert policy.allows("http://localhost:8932/")
    assert policy.allows("http://example.org:8931/")
