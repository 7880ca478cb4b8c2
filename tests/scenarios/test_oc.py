"""`oc`, the thin client: output, exit statuses, and what it needs."""

import json
import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from support.daemon import Daemon, Home
from support.processes import naming
from support.site import Site
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


def test_exit_0_when_done(daemon: Daemon, site: Site) -> None:
    """A verb that succeeds exits 0; page text goes to stdout."""
    daemon.oc("navigate", site.url("article.html")).ok()
    done = daemon.oc("read-page", "--mode", "text").ok()
    assert "Cape Ambler" in done.out


def test_exit_1_when_the_verb_fails(daemon: Daemon, site: Site) -> None:
    """A verb that fails exits 1 with `Error:` (and `Hint:`) on stderr and nothing on stdout."""
    done = daemon.oc("output", "fetch", "oh_DEADBEEF0000")
    assert done.code == 1
    assert done.err.startswith("Error: ")
    assert done.out == ""


@pytest.mark.parametrize(
    "words",
    [
        ["raed-page"],
        ["navigate"],
        ["crawl", "--url", "http://127.0.0.1:1/", "--max-pagse", "3"],
        ["crawl", "--url", "http://127.0.0.1:1/", "--max-pages", "three"],
        ["task", "start", "crawl"],
        ["tabs", "contxet"],
    ],
)
def test_exit_2_when_used_wrongly(daemon: Daemon, words: list[str]) -> None:
    """Wrong commands, options and values exit 2 with a line that says what was wrong."""
    done = daemon.oc(*words)
    assert done.code == 2, done
    assert "Error:" in done.err
    assert "Traceback" not in done.err


def test_wrong_names_get_the_nearest_right_one(daemon: Daemon) -> None:
    """A misspelt command or option is answered with the right one."""
    assert "read-page" in daemon.oc("raed-page").err
    wrong = daemon.oc("crawl", "--url", "http://127.0.0.1:1/", "--max-pagse", "3")
    assert "--max-pages" in wrong.err


def test_exit_3_without_a_daemon(home: Home) -> None:
    """`--no-start` without a daemon exits 3, says how to start one, and starts none."""
    done = home.run("oc", "--no-start", "tabs", "context")
    assert done.code == 3
    assert "ocd start" in done.err
    assert not naming(home.base)


def test_oc_starts_the_daemon(home: Home) -> None:
    """The first `oc` call starts the daemon; the second one uses the same."""
    home.run("oc", "task", "list").ok()
    pid = Daemon(home=home).status()["pid"]
    home.run("oc", "task", "list").ok()
    assert Daemon(home=home).status()["pid"] == pid


def test_parallel_clients_start_one_daemon(home: Home) -> None:
    """Twelve at once are answered by one daemon, which was started once."""
    calls = [home.spawn("oc", "task", "list") for _ in range(12)]
    outcomes = [(*call.communicate(timeout=300), call.returncode) for call in calls]
    assert [code for _, _, code in outcomes] == [0] * 12, outcomes
    log = (home.path / "log" / "ocd.log").read_text()
    assert log.count("ocd.cli.start: starting") == 1


@pytest.mark.parametrize("deadline", ["-5", "0", "600001"])
def test_a_deadline_out_of_range_is_a_usage_error(daemon: Daemon, deadline: str) -> None:
    """It is the daemon that refuses it, with the bound; nothing fails on the way there."""
    refused = daemon.oc("read-page", "--timeout-ms", deadline)
    assert refused.code == 2
    assert refused.err.startswith("Error: read_page: parameter 'timeout_ms': expected int")


def test_exit_4_when_timed_out(daemon: Daemon, site: Site) -> None:
    """A call past its deadline exits 4."""
    done = daemon.oc("navigate", site.url("hang"), "--timeout-ms", "300")
    assert done.code == 4, done


def test_exit_5_when_the_browser_is_missing(make_daemon: MakeDaemon) -> None:
    """Without a browser page verbs exit 5 and say what to install."""
    daemon = make_daemon("--browser", "/nowhere/chromium")
    done = daemon.oc("navigate", "http://127.0.0.1:1/")
    assert done.code == 5
    assert "Hint:" in done.err


def test_exit_130_when_interrupted(daemon: Daemon, site: Site) -> None:
    """Ctrl-C on a direct crawl exits 130 and cancels its task, whose pages are kept."""
    process = daemon.home.spawn("oc", "crawl", site.url("chain/1?hold=3"), "--max-depth", "9")
    site.wait_for("chain/3")
    task_id = daemon.do("oc_task_list", kind="crawl", limit=1)["tasks"][0]["task_id"]
    wait_until(lambda: daemon.task(task_id)["progress"]["done"] == 2, 20, "two pages")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert process.returncode == 130
    assert daemon.finish(task_id)["status"] == "CANCELLED"
    assert len(daemon.result_of(task_id)["pages"]) == 2


def test_json_prints_the_response_body_and_nothing_else(daemon: Daemon, site: Site) -> None:
    """`--json` is accepted before and after the command; errors are JSON on stdout, too."""
    url = site.url("article.html")
    before = daemon.oc("--json", "navigate", url).ok()
    after = daemon.oc("navigate", url, "--json").ok()
    assert before.json["result"]["status"] == after.json["result"]["status"] == 200
    read = daemon.oc("read-page", "--mode", "text", "--json").json["result"]
    assert "Cape Ambler" in read["content"]
    failed = daemon.oc("--json", "output", "fetch", "oh_DEADBEEF0000")
    assert failed.code == 1
    assert failed.json["error"]["code"] == "output_handle_not_found"


def test_session_option_and_environment_variable(daemon: Daemon, site: Site) -> None:
    """`--session` (before or after) and `OPENCHROME_SESSION` choose whose tabs are meant."""
    daemon.sessions |= {"left", "right"}
    daemon.oc("--session", "left", "navigate", site.url("article.html")).ok()
    daemon.oc("navigate", site.url("table.html"), "--session", "right").ok()
    left = daemon.oc("tabs", "context", "--json", OPENCHROME_SESSION="left").json["result"]
    right = daemon.oc("tabs", "context", "--json", "--session", "right").json["result"]
    assert [t["title"] for t in left["tabs"]] == ["The lighthouse"]
    assert [t["title"] for t in right["tabs"]] == ["Steps"]


def test_verbs_own_name_always_works(daemon: Daemon) -> None:
    """`oc tabs context`, `oc tabs_context` and `oc call tabs_context` are the same call."""
    spelled = [["tabs", "context"], ["tabs_context"], ["call", "tabs_context"]]
    answers = [daemon.oc(*words, "--json").ok().out for words in spelled]
    assert len(set(answers)) == 1


def test_task_commands(daemon: Daemon, site: Site) -> None:
    """`oc task start … --wait`, `list`, `get`, `events`, `wait`, `cancel` walk one task."""
    started = daemon.oc(
        "task", "start", "crawl", "--url", site.url("many-pages/1.html"), "--max-pages", "2",
        "--wait", "--json",
    ).ok()  # fmt: skip
    meta = started.json["result"]["meta"]
    assert meta["status"] == "COMPLETED"
    task_id = meta["task_id"]
    listed = daemon.oc("task", "list", "--json").ok().json["result"]["tasks"]
    assert listed[0]["task_id"] == task_id
    assert task_id in daemon.oc("task", "list").ok().out
    got = daemon.oc("task", "get", task_id, "--include-result", "--json").ok().json["result"]
    assert len(got["result"]["pages"]) == 2
    events = daemon.oc("task", "events", task_id).ok().out
    assert "completed" in events.lower()
    assert daemon.oc("task", "wait", task_id).code == 0
    assert daemon.oc("task", "cancel", task_id).code == 0


def test_task_start_without_wait_returns_at_once(daemon: Daemon, site: Site) -> None:
    """`oc task start` prints the id while the task runs; `cancel` ends it."""
    words = ["task", "start", "crawl", "--url", site.url("gate/cli"), "--json"]
    task_id = daemon.oc(*words).ok().json["result"]["task_id"]
    site.wait_for("gate/cli")
    cancelled = daemon.oc("task", "cancel", task_id, "--json").ok().json["result"]["meta"]
    assert cancelled["status"] == "CANCELLED"


def test_waiting_for_a_failed_task_exits_1(daemon: Daemon, site: Site) -> None:
    """`--wait` on a task that fails exits 1."""
    words = ["--url", site.url("many-pages/1.html"), "--fail-on-page", "1", "--wait"]
    assert daemon.oc("task", "start", "crawl", *words).code == 1


def test_task_watch_follows_to_the_end(daemon: Daemon, site: Site) -> None:
    """`oc task watch` ends when the task ends; without a terminal it draws no bar."""
    task_id = daemon.start_task("crawl", url=site.url("gate/watched"), max_pages=1)
    watching = daemon.home.spawn("oc", "task", "watch", task_id)
    site.wait_for("gate/watched")
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 0, 20)
    site.open_gate("watched")
    out, err = watching.communicate(timeout=300)
    assert watching.returncode == 0, (out, err)
    assert "\x1b" not in out + err


def test_quiet_prints_results_only(daemon: Daemon, site: Site) -> None:
    """`--quiet`, before or after, leaves sentences out and results in."""
    daemon.oc("navigate", site.url("article.html"), "--quiet").ok()
    done = daemon.oc("--quiet", "read-page", "--mode", "text").ok()
    assert "Cape Ambler" in done.out
    assert done.err == ""


def test_hint_about_an_empty_result_goes_to_stderr(daemon: Daemon, site: Site) -> None:
    """The hint goes to stderr; --quiet leaves it out."""
    daemon.new_tab(site.url("article.html"))
    found = daemon.oc("find", "zeppelin", "--wait-for-ms", "0")
    assert (found.code, found.out.strip()) == (0, "")
    assert "Try other or fewer words" in found.err
    assert daemon.oc("find", "zeppelin", "--wait-for-ms", "0", "--quiet").err == ""


def test_output_save_writes_the_payload(daemon: Daemon, site: Site) -> None:
    """`oc output save` writes exactly the stored bytes."""
    daemon.do("navigate", url=site.url("awkward.html"))
    handle = daemon.do("read_page", mode="text", output_mode="handle")["output_handle"]
    file = daemon.home.base / "saved.txt"
    daemon.oc("output", "save", handle, str(file)).ok()
    whole = daemon.do("read_page", mode="text", limit=10_000_000)["content"]
    assert file.read_text() == whole


def test_openchrome_is_the_same_program(daemon: Daemon) -> None:
    """`openchrome` is an alias of `oc`: its help says the same, with other line breaks."""
    ours = daemon.oc("--help").ok().out.replace("openchrome", "oc").split()
    assert daemon.home.run("openchrome", "--help").out.replace("openchrome", "oc").split() == ours


def completed(daemon: Daemon, program: str, line: str) -> list[str]:
    """Return what bash is offered for a line: the daemon's names if it answers in two seconds."""
    count = str(len(line.split(" ")) - 1)
    asked = {
        "COMP_WORDS": line,
        "COMP_CWORD": count,
        f"_{program.upper()}_COMPLETE": "complete_bash",
    }
    return daemon.home.run(program, **asked).out.split()


def test_completion_offers_tasks_handles_and_tabs(daemon: Daemon, site: Site) -> None:
    """Task ids, handles and tabs, for commands and options; and the words of ocd."""
    tab_id = daemon.do("navigate", url=site.url("article.html"))["tab_id"]
    handle = daemon.do("read_page", output_mode="handle")["output_handle"]
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    wait_until(lambda: task_id in completed(daemon, "oc", "oc task get "))
    wait_until(lambda: completed(daemon, "oc", f"oc output fetch {handle[:12]}") == [handle])
    wait_until(lambda: completed(daemon, "oc", "oc snapshot --tab-id t") == [tab_id])
    assert completed(daemon, "ocd", "ocd resta") == ["restart"]
    assert "--http" in completed(daemon, "ocd", "ocd start --ht")


def test_completion_is_installed_for_both_programs(home: Home) -> None:
    for program in ("oc", "ocd"):
        done = home.run(program, "--install-completion", "bash").ok()
        assert done.out.startswith("bash completion installed in ")
        assert (
            f"_{program.upper()}_COMPLETE"
            in home.run(program, "--show-completion", SHELL="/bin/zsh").ok().out
        )
        unknown = home.run(program, "--install-completion", "csh")
        assert unknown.code == 2
        assert "Hint: " in unknown.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(daemon: Daemon, shell: str) -> None:
    """`--show-completion SHELL` prints a script for that shell."""
    done = daemon.oc("--show-completion", shell)
    assert done.code == 0, done
    assert "oc" in done.out


def test_broken_pipe_is_quiet(daemon: Daemon, site: Site) -> None:
    """`oc read-page | head -1` ends without a traceback."""
    daemon.do("navigate", url=site.url("big?kb=2000"))
    done = subprocess.run(
        "oc read-page --mode text --limit 5000000 | head -c 10", shell=True, check=False,
        env=daemon.home.environ, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr
    assert len(done.stdout) == 10


def test_json_survives_every_character(daemon: Daemon, site: Site) -> None:
    """Emoji, quotes and non-ASCII text arrive as they are, in JSON and as text."""
    daemon.do("navigate", url=site.url("awkward.html"))
    line = next(
        one
        for one in daemon.oc("read-page", "--mode", "text").ok().out.splitlines()
        if one.startswith("0:")
    )
    assert "naïve café" in line
    assert "漢字" in line
    read = json.loads(daemon.oc("read-page", "--mode", "text", "--json").out)["result"]
    assert line in read["content"]


def test_typed_values_are_not_converted(daemon: Daemon, site: Site) -> None:
    """Leading zeros, a plus sign and the words yes and no stay; a box takes true all the same."""
    daemon.do("navigate", url=site.url("form.html"))
    for text in ("0049", "+49", "no"):
        daemon.oc("form-input", "[name=name]", text).ok()
        code = "document.querySelector('[name=name]').value"
        assert daemon.do("javascript_tool", code=code)["content"] == text
    daemon.oc("fill-form", "Full name=007", "Send me news=true").ok()
    filled = "[...document.querySelectorAll('[name=name], [name=news]:checked')]"
    code = f"{filled}.map((field) => field.value).join()"
    assert daemon.do("javascript_tool", code=code)["content"] == "007,yes"


def test_oc_works_in_any_folder_and_without_a_home_variable(daemon: Daemon) -> None:
    """Without HOME the user database is asked; the working folder does not matter."""
    environ = {k: v for k, v in daemon.home.environ.items() if k != "HOME"}
    done = subprocess.run(
        ["oc", "tabs", "context"], env=environ, cwd=os.sep, capture_output=True, check=False
    )
    assert done.returncode == 0
