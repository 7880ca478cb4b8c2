"""The process that converts pages: a bad page fails alone, and the process ends with its daemon."""

from collections.abc import Callable

import psutil

from support.daemon import Daemon
from support.processes import Identity, words_of
from support.site import Site
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]


def workers(daemon: Daemon) -> list[psutil.Process]:
    children = psutil.Process(daemon.identity.pid).children()
    return [child for child in children if "ocd.conversion.process" in words_of(child)]


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def test_a_page_that_exhausts_memory_fails_alone(make_daemon: MakeDaemon, site: Site) -> None:
    """Fifteen pages and the sixteenth: one record has an error, all others their text."""
    daemon = make_daemon(OCD_FAULT="convert=eat@/star/14?")
    task_id = daemon.start_task(
        "crawl", url=site.url("star/0?leaves=20"), max_pages=40, engine="static", concurrency=1
    )
    assert daemon.finish(task_id, 240_000)["status"] == "COMPLETED"
    pages = daemon.result_of(task_id)["pages"]
    failed = [page for page in pages if page.get("error")]
    assert [page["url"].partition("?")[0] for page in failed] == [site.url("star/14")]
    assert failed[0]["error"]["code"] == "conversion_failed"
    assert len(pages) == 21
    assert all(page["content"] for page in pages if page not in failed)


def test_a_busy_conversion_process_ends_with_its_killed_daemon(
    make_daemon: MakeDaemon, site: Site
) -> None:
    """`kill -9` of the daemon while the process backtracks in `re`: the kernel ends it."""
    daemon = make_daemon(OCD_FAULT="convert=spin@/star/14?")
    daemon.start_task(
        "crawl", url=site.url("star/0?leaves=20"), max_pages=40, engine="static", concurrency=1
    )
    (worker,) = wait_until(lambda: workers(daemon), 60, "the process")
    identity = Identity.of(worker.pid)
    site.wait_for("star/14", timeout=60)
    before = cpu_s(worker)
    wait_until(lambda: cpu_s(worker) > before + 0.5, 60, "it to spin")
    daemon.kill9()
    identity.wait_gone(5)
    assert not identity.alive
