"""Settings: flags, variables and config.toml; strict at the start, tolerant while running."""

from collections.abc import Callable

import pytest

from support.daemon import Daemon, Home
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("own_programs", "headless_shell")
MakeDaemon = Callable[..., Daemon]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("tier = 9\n", "tier"),
        ("output_handle_ttl_huors = 1\n", "output_handle_ttl_hours"),
        ('max_concurrent_tasks = "four"\n', "max_concurrent_tasks"),
        ("this is not toml", "config.toml"),
        ('tools_only = ["core"]\ndisable_tools = ["crawl"]\n', "tools_only"),
        ('tools_only = ["cores"]\n', "core"),
    ],
)
def test_invalid_config_is_a_usage_error(home: Home, text: str, named: str) -> None:
    """A config that does not decode ends `ocd start` with 2, naming the file or the key."""
    home.write_config(text)
    done = home.run("ocd", "start")
    assert done.code == 2, done
    assert named in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--tier", "7"), "tier"),
        (("--tools-only", "nonsense"), "core"),
        (("--tools-only", "core", "--disable-tools", "crawl"), "--disable-tools"),
        (("--output-handle-ttl-hours", "-1"), "--output-handle-ttl-hours"),
        (("--no-such-flag",), "--no-such-flag"),
    ],
)
def test_invalid_flag_is_a_usage_error(home: Home, flags: tuple[str, ...], named: str) -> None:
    """A flag that is wrong ends `ocd start` with 2 and names it (an unknown group: the groups)."""
    done = home.run("ocd", "start", *flags)
    assert done.code == 2, done
    assert named in done.err


def test_flag_beats_variable_beats_file(make_daemon: MakeDaemon, site: Site) -> None:
    """The same setting in all three places: the flag wins; without it the variable."""
    daemon = make_daemon(
        "--output-handle-ttl-hours",
        "5",
        config="output_handle_ttl_hours = 0\n",
        OPENCHROME_OUTPUT_HANDLE_TTL_HOURS="0",
    )
    handle = daemon.do("oc_journal", action="recent", output_mode="handle")["output_handle"]
    assert daemon.do("oc_output_fetch", output_handle=handle)["output_handle"] == handle
    daemon.stop()
    daemon.flags = ()
    daemon.start()
    handle = daemon.do("oc_journal", action="recent", output_mode="handle")["output_handle"]
    assert daemon.call("oc_output_fetch", output_handle=handle).status == 404


def test_edit_takes_effect_without_a_restart(make_daemon: MakeDaemon, site: Site) -> None:
    """A domain blocked in config.toml while the daemon runs is blocked, and free again after."""
    daemon = make_daemon()
    url = site.url("article.html")
    assert daemon.do("navigate", url=url)["status"] == 200
    daemon.home.write_config('block_domain = ["127.0.0.1"]\n')
    wait_until(lambda: daemon.call("navigate", url=url).status == 403, 20, "the block")
    assert daemon.call("navigate", url=url).code == "domain_blocked"
    assert daemon.call("crawl", url=url).code == "domain_blocked"
    daemon.home.write_config("")
    wait_until(lambda: daemon.call("navigate", url=url).status == 200, 20, "the block's end")


def test_broken_edit_keeps_the_last_good_config(make_daemon: MakeDaemon, site: Site) -> None:
    """An edit that does not decode is logged, and the last good settings stay in force."""
    daemon = make_daemon(config='block_domain = ["localhost"]\n')
    blocked = f"{site.other_origin}/article.html"
    assert daemon.call("navigate", url=blocked).code == "domain_blocked"
    daemon.home.write_config("block_domain = [")

    def logged() -> bool:
        return "config.toml" in daemon.ocd("logs").out

    wait_until(logged, 10, "the complaint in the log")
    assert daemon.call("navigate", url=blocked).code == "domain_blocked"
    assert daemon.status()["pid"] == daemon.identity.pid


def test_live_change_of_concurrency(make_daemon: MakeDaemon, site: Site) -> None:
    """Raising `max_concurrent_tasks` in the file lets queued tasks run."""
    daemon = make_daemon(config="max_concurrent_tasks = 1\n")
    first, second = (
        daemon.start_task("crawl", url=site.url(f"gate/c{n}"), max_pages=1) for n in range(2)
    )
    site.wait_for("gate/c0")
    assert daemon.task(second)["status"] == "PENDING"
    daemon.home.write_config("max_concurrent_tasks = 2\n")
    site.wait_for("gate/c1")
    for name, task_id in (("c0", first), ("c1", second)):
        site.open_gate(name)
        assert daemon.finish(task_id)["status"] == "COMPLETED"


def test_disabled_capability_is_refused(make_daemon: MakeDaemon) -> None:
    """A verb outside `--tools-only` answers CAPABILITY_DISABLED with its group."""
    daemon = make_daemon("--tools-only", "core")
    error = daemon.call("crawl", url="http://127.0.0.1:1/").error
    assert (error["code"], error["capability"]) == ("CAPABILITY_DISABLED", "crawl")
    names = {verb["name"] for verb in daemon.request("GET", "/v1/catalog").body["verbs"]}
    assert "crawl" not in names
    assert {"navigate", "oc_output_fetch"} <= names


def test_disable_tools_leaves_the_rest(make_daemon: MakeDaemon) -> None:
    """`--disable-tools crawl` refuses those verbs, as tasks too, and no others."""
    daemon = make_daemon("--disable-tools", "crawl")
    args = {"url": "http://127.0.0.1:1/"}
    for reply in (
        daemon.call("crawl_sitemap", **args),
        daemon.call("oc_task_start", kind="crawl", args=args),
    ):
        assert (reply.status, reply.code) == (403, "CAPABILITY_DISABLED")
        assert reply.error["capability"] == "crawl"
    assert daemon.do("oc_task_list")["count"] == 0
