"""`oc mcp`: configuring a host for the bridge, and testing what the host would start."""

import json

from support.daemon import Home


def names_and_verdicts(out: str) -> list[list[str]]:
    return [line.split()[:2] for line in out.splitlines()]


def test_a_configured_host_works_at_once(home: Home) -> None:
    """With nothing running, the doctor gets a script evaluated through the host's own file."""
    home.run("oc", "mcp", "config", "codex", "--write", "--tier", "1").ok()
    done = home.run("oc", "mcp", "doctor", "codex").ok()
    assert names_and_verdicts(done.out) == [
        [name, "ok"] for name in ("configuration", "bridge", "tools", "daemon", "browser")
    ]
    assert home.run("ocd", "status").code == 0


def test_doctor_exits_3_without_a_daemon(home: Home) -> None:
    """A bridge that may not start the daemon says so, and the doctor says what to do."""
    done = home.run("oc", "mcp", "doctor", "--no-start")
    assert done.code == 3
    assert names_and_verdicts(done.out)[-1] == ["bridge", "FAILED"]
    assert done.err == "Hint: ocd start\n"


def test_doctor_exits_5_without_a_browser(home: Home) -> None:
    """All but the browser is found to work."""
    home.path.mkdir(mode=0o700)
    (home.path / "config.toml").write_text('browser_path = "/nowhere/chromium"\n')
    done = home.run("oc", "mcp", "doctor", "--json")
    assert done.code == 5, done.out
    checks = json.loads(done.out)["result"]["checks"]
    assert [check["ok"] for check in checks] == [True, True, True, True, False]
    assert "/nowhere/chromium" in checks[-1]["found"]
