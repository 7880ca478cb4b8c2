"""Runs a program whose browser is the session of `oc run`.

A separate script with the standard library only, for the Python that has the program's libraries.
Where the program would launch a browser, it is connected instead; connections of its own are left
alone.
"""

# ruff: noqa: ANN401 - the classes that are patched are known where they are installed

from __future__ import annotations

import importlib.machinery
import os
import runpy
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

_URL = os.environ.get("OPENCHROME_ATTACH_URL", "")
# Launch options that mean the same for a connection.
_PASSED_ON = ("timeout", "slow_mo")


def _patch_pyppeteer(launcher: ModuleType) -> None:
    async def launch(options: dict[str, Any] | None = None, **more: Any) -> Any:
        launch_options = {**(options or {}), **more}
        connect_options = {
            name: launch_options[name]
            for name in ("slowMo", "logLevel", "loop")
            if name in launch_options
        }
        # The tabs belong to the session: their size is only changed on request.
        viewport = launch_options.get("defaultViewport")
        return await launcher.connect(
            browserWSEndpoint=_URL, defaultViewport=viewport, **connect_options
        )

    launcher.launch = launch  # type: ignore[attr-defined]


def _connect_options(browser_type: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options to connect with; the session is Chromium's."""
    if browser_type.name != "chromium":
        raise SystemExit(f"oc run: the session's browser is Chromium, not {browser_type.name}")
    return {name: options[name] for name in _PASSED_ON if options.get(name) is not None}


def _patch_playwright(api: ModuleType) -> None:
    """Make the synchronous API connect; a context without options is the session's own."""
    kind, browser = api.BrowserType, api.Browser
    new_context, new_page = browser.new_context, browser.new_page

    def launch(self: Any, **options: Any) -> Any:
        return self.connect_over_cdp(_URL, **_connect_options(self, options))

    def launch_persistent(self: Any, _folder: Any = "", **options: Any) -> Any:
        return launch(self, **options).contexts[0]

    def own_context(self: Any, **options: Any) -> Any:
        return new_context(self, **options) if options else self.contexts[0]

    def own_page(self: Any, **options: Any) -> Any:
        return new_page(self, **options) if options else self.contexts[0].new_page()

    kind.launch, kind.launch_persistent_context = launch, launch_persistent
    browser.new_context, browser.new_page = own_context, own_page


def _patch_playwright_async(api: ModuleType) -> None:
    """Do the same for the asynchronous API."""
    kind, browser = api.BrowserType, api.Browser
    new_context, new_page = browser.new_context, browser.new_page

    async def launch(self: Any, **options: Any) -> Any:
        return await self.connect_over_cdp(_URL, **_connect_options(self, options))

    async def launch_persistent(
        self: Any,
        _folder: Any = "",
        **options: Any,
    ) -> Any:
        return (await launch(self, **options)).contexts[0]

    async def own_context(self: Any, **options: Any) -> Any:
        return await new_context(self, **options) if options else self.contexts[0]

    async def own_page(self: Any, **options: Any) -> Any:
        return await (new_page(self, **options) if options else self.contexts[0].new_page())

    kind.launch, kind.launch_persistent_context = launch, launch_persistent
    browser.new_context, browser.new_page = own_context, own_page


_PATCHES: dict[str, Callable[[ModuleType], None]] = {
    "pyppeteer.launcher": _patch_pyppeteer,
    "playwright.sync_api._generated": _patch_playwright,
    "playwright.async_api._generated": _patch_playwright_async,
}


class _PatchingFinder:
    """Finds the modules that launch browsers, and patches each as soon as it is imported."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        patch = _PATCHES.get(name)
        if patch is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_patch(module: ModuleType) -> None:
            execute(module)
            patch(module)

        spec.loader.exec_module = execute_and_patch  # type: ignore[method-assign]
        return spec


def main() -> None:
    """Run the program that the arguments name, as if Python had been called with it."""
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(sys.argv[0])
    sys.meta_path.insert(0, _PatchingFinder)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
