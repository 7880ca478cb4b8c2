"""Fixtures of every test room: the site, a shared daemon, and daemons of one's own."""

import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

import pytest
from hypothesis import settings

from support.daemon import Daemon, Home, page_browser
from support.site import Site

# A shell that starts us in the background has SIGINT ignored, and every program that a test starts
# would inherit that: Ctrl-C would then end none of them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test asserts a time: machines are busy.
settings.register_profile("openchrome", deadline=None)
settings.load_profile("openchrome")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: two a core, because most of the time a test waits for another process."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Give a file to one worker, for the daemons that its tests share and their order.

    Tests that share nothing say so with `spread`: they go to whoever is free. A wrapper, because
    xdist reads the marks in a hook of its own, before those of any conftest.
    """
    together = [item for item in items if not item.get_closest_marker("spread")]
    for item in together:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    result = yield
    # In a worker xdist has added each group to the test's id; a pytest that it does not know
    # ignores that, and then every worker starts what the tests of a file share.
    if config.getoption("loadgroup", default=False):
        apart = [item.nodeid for item in together if "@" not in item.nodeid.rpartition("]")[2]]
        assert not apart, f"pytest-xdist does not keep the tests of a file together: {apart[0]}"
    return result


@pytest.fixture(scope="session")
def shared_site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    """The fixture site, with no requests seen and every gate closed."""
    shared_site.forget()
    yield shared_site
    shared_site.open_gate("hang")  # let go of whatever still hangs there


@pytest.fixture
def make_site() -> Iterator[Callable[..., Site]]:
    """Start further sites, each on a port (so with a robots.txt) of its own."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(Site(**options))


@pytest.fixture(scope="session")
def shared_daemon() -> Iterator[Daemon]:
    """The daemon of this worker's tests; it speaks MCP over HTTP, too.

    Its browser is Chromium's headless shell: what needs windows, profiles or the browser's own
    pages asks for a daemon with the Chromium that users have (`share_daemon`, `make_daemon`).
    """
    with Daemon("--http", "0", *page_browser()) as running:
        yield running


@pytest.fixture
def daemon(shared_daemon: Daemon) -> Iterator[Daemon]:
    """The shared daemon, for tests that leave it and its Chromium usable; their tabs are closed."""
    yield shared_daemon
    shared_daemon.close_tabs()


@pytest.fixture
def no_cookies(daemon: Daemon, site: Site) -> None:
    """The shared daemon without cookies of earlier tests: those of a host hold on all its ports."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("cookies", action="clear", domain="*")
    site.forget()


@pytest.fixture(scope="module")
def module_tab(shared_daemon: Daemon) -> Iterator[None]:
    """Close the tab that `one_tab_daemon` leaves at the end of the module."""
    yield
    shared_daemon.sessions.add("default")
    shared_daemon.close_tabs()


@pytest.fixture
def one_tab_daemon(shared_daemon: Daemon, module_tab: None) -> Iterator[Daemon]:
    """The shared daemon, for tests that begin by opening a page: they share one tab."""
    yield shared_daemon
    shared_daemon.keep_one_tab()


@pytest.fixture(scope="module")
def serving(shared_daemon: Daemon) -> Iterator[Daemon]:
    """The shared daemon, for tests of MCP; tabs may stay open between the tests of a module."""
    yield shared_daemon
    shared_daemon.sessions.update(shared_daemon.status()["session_names"])
    shared_daemon.close_tabs()


@pytest.fixture
def make_daemon() -> Iterator[Callable[..., Daemon]]:
    """Start daemons for one test; each must leave no process behind."""
    with ExitStack() as stack:
        yield lambda *flags, **options: stack.enter_context(Daemon(*flags, **options))


@pytest.fixture(scope="module")
def module_daemons() -> Iterator[Callable[..., Daemon]]:
    """Start the daemon of these settings, unless a test of this module had it started."""
    running: dict[str, Daemon] = {}
    with ExitStack() as stack:

        def find(*flags: str, **options: str) -> Daemon:
            key = repr((flags, sorted(options.items())))
            if key not in running:
                running[key] = stack.enter_context(Daemon(*flags, **options))
            return running[key]

        yield find


@pytest.fixture
def share_daemon(module_daemons: Callable[..., Daemon]) -> Iterator[Callable[..., Daemon]]:
    """Get a daemon that the module's tests share, if they ask for the same settings.

    For tests that leave it and its Chromium usable; their tabs are closed.
    """
    used: list[Daemon] = []

    def find(*flags: str, **options: str) -> Daemon:
        used.append(module_daemons(*flags, **options))
        return used[-1]

    yield find
    for one in used:
        one.close_tabs()


@pytest.fixture(scope="module")
def headless_shell() -> Iterator[None]:
    """Have the daemons that a module starts draw pages as the worker's does.

    For modules that are about no browser: about files, limits, tasks, or what a page reads like.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Daemon, "browser", page_browser())
        yield


@pytest.fixture
def own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each daemon as a program, with its options on the command line."""
    monkeypatch.setattr(Daemon, "forks", False)


@pytest.fixture
def home() -> Iterator[Home]:
    """A home folder without a daemon."""
    place = Home()
    yield place
    if (place.path / "run" / "ocd.lock").exists():
        place.run("ocd", "stop")
    place.close()
