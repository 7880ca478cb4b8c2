"""File uploads: into an input, through a file chooser, or by drag and drop."""

import asyncio
import base64
import binascii
import mimetypes
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import Event
from ocd.browser.sessions.unattended_prompts import cancel_file_choosers
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import unusable_error, wait_ready
from ocd.pages.act.field_errors import value_error
from ocd.pages.act.observation import ActionResult, perform
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element
from ocd.pages.locate.target import ActionDeadline, Target
from ocd.pages.locate.wait import relocate
from ocd.storage.files import write_whole

# Seconds after a click within which a file chooser opens, if at all.
_CHOOSER_S = 1.0
_NAME_BYTES = 200
_RULES = "function (budget) { return openchrome.fileRules(this, budget) }"
_RULES_OF = "function () { return openchrome.inputRules(this) }"
_WATCH_FOLDER = "function () { openchrome.watchFolder(this) }"
_HELD = "function () { return !this.isConnected || this.files.length > 0 }"
_FOLDER_READ = "function (budget) { return openchrome.waitFolderRead(budget) }"
_WATCH_DROP = "function () { openchrome.watchDrop(this) }"
_TAKES_DROP = "function () { return openchrome.acceptsDrop() }"


@dataclass(frozen=True, slots=True)
class UploadFile:
    """A file or a folder on disk to upload."""

    path: Path
    mime_type: str = ""

    @property
    def name(self) -> str:
        """The name that the page will see."""
        return self.path.name

    @property
    def size(self) -> int:
        """Its bytes; those of all its files if it is a folder."""
        if not self.path.is_dir():
            return self.path.stat().st_size
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())


class UploadStaging:
    """A folder for a call's files; deleted with the tab, whose page may send them late."""

    def __init__(self, tab: Tab) -> None:
        self._folder = tab.folder / "uploads" / token_hex(6)
        self._count = 0
        tab.events.once("closed", self._drop)

    def put(self, name: str, content: str, mime_type: str = "") -> UploadFile:
        """Write base64 content to a file with the name that the page is to see.

        Raises invalid_argument if it is not base64, storage_*.
        """
        try:
            data = base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError) as error:
            raise OcdError(
                "invalid_argument", f"The content of {name} is not base64: {error}.",
                parameter="files", file=name,
            ) from None  # fmt: skip
        path = self._place(name)
        write_whole(path, data)
        return UploadFile(path, mime_type)

    def link(self, path: Path, name: str, mime_type: str = "") -> UploadFile:
        """Return the file under another name."""
        link = self._place(name)
        link.symlink_to(path)
        return UploadFile(link, mime_type)

    def _place(self, name: str) -> Path:
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir(parents=True, mode=0o700)
        return place / _file_name(name)

    def _drop(self) -> None:
        remove = partial(shutil.rmtree, self._folder, ignore_errors=True)
        _ = asyncio.get_running_loop().run_in_executor(None, remove)


def _file_name(name: str) -> str:
    """Return the last part of a name, without characters that file systems do not accept."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    cleaned = "".join(letter for letter in last if letter.isprintable()).strip()
    if cleaned.strip(".") == "":
        raise OcdError(
            "invalid_argument", f"Not a file name: {name!r}.", parameter="files", file=name
        )
    stem, dot, ending = cleaned.rpartition(".")
    max_length = _NAME_BYTES - len(f"{dot}{ending}".encode())
    if max_length < 1 or not stem:
        return cleaned.encode()[:_NAME_BYTES].decode(errors="ignore")
    return f"{stem.encode()[:max_length].decode(errors='ignore')}{dot}{ending}"


async def upload(
    target: Target, deadline: ActionDeadline, files: Sequence[UploadFile], *, drop: bool = False
) -> tuple[str, ActionResult]:
    """Upload the files; return how: `input`, `chooser` or `drop`.

    Raises:
        OcdError: wrong_value if the input's rules (accept, multiple, folders) refuse the files, or
            nothing takes files; not_enabled, and what wait_ready raises.
    """
    if drop:
        return "drop", await _drop(target, deadline, files)
    rules = await _wait_for_rules(target, deadline)
    if rules is None:
        return "chooser", await _use_file_chooser(target, deadline, files)
    _check(target, rules, files)
    frame, tab = target.element.frame, target.element.tab
    object_id = await engine.handle(tab, frame, "openchrome.fileInput()")
    assert object_id is not None
    async with Element(tab, frame, object_id) as input_element, ActionEffects(tab) as effects:
        result = await perform(
            target, deadline, effects, lambda: _set_files(input_element, deadline, files)
        )
        if not (result.changed or result.lines or effects.requested or effects.dialog):
            await _check_held(target, input_element)
    return "input", result


async def _check_held(target: Target, input_element: Element) -> None:
    """Raise wrong_value if the page has emptied the input, and shows no sign of the files."""
    if not await input_element.call(_HELD):
        hint = "The page may refuse files of that size or kind: look at what it says."
        raise value_error(target, "the page took the files out of it again.", hint)


async def _wait_for_rules(target: Target, deadline: ActionDeadline) -> dict[str, Any] | None:
    """Return the rules of the input once it is enabled, None if there is no input."""
    while True:
        rules = await target.element.call(_RULES, deadline.seconds_left * 1000)
        if rules is None or "detached" not in rules:
            return None if rules is None else dict(rules)
        if not await relocate(target, deadline):
            raise unusable_error(target, {"why": "detached"})


async def _set_files(
    input_element: Element, deadline: ActionDeadline, files: Sequence[UploadFile]
) -> None:
    """Put the files into the input, and return once it holds them: Chromium reads folders late.

    Raises timeout for a folder that takes longer to read than the call may take.
    """
    folder = any(file.path.is_dir() for file in files)
    if folder:
        await input_element.call(_WATCH_FOLDER)
    params = {"files": [str(file.path) for file in files], "objectId": input_element.object_id}
    await input_element.frame.cdp.send("DOM.setFileInputFiles", params)
    if folder and not await input_element.call(_FOLDER_READ, deadline.seconds_left * 1000):
        raise OcdError(
            "timeout", f"The browser is still reading the files of {files[0].path}.",
            hint="Look at the page in a moment, or pass a longer timeout_ms.",
        )  # fmt: skip


def _check(target: Target, rules: dict[str, Any], files: Sequence[UploadFile]) -> None:
    if rules["disabled"]:
        raise OcdError(
            "not_enabled", f"{target.about['name']!r} ({target.ref}) does not accept files now: "
            f"{rules['disabled']}.", hint="Fill in what it depends on first.", ref=target.ref,
        )  # fmt: skip
    # In a browser a person can only choose one folder, even with `multiple`.
    if len(files) > 1 and (rules["directory"] or not rules["multiple"]):
        one = "one folder" if rules["directory"] else "one file"
        raise value_error(target, f"it accepts {one}, not {len(files)}.", "Upload one at a time.")
    for file in files:
        if file.path.is_dir() != bool(rules["directory"]):
            takes = "a folder" if rules["directory"] else "files, not folders"
            raise value_error(
                target, f"it accepts {takes}: {file.path}.", "Pass a path of that kind."
            )
        if not rules["directory"] and not accepts(rules["accept"], file):
            hint = "The page would refuse it; pass a file of that type."
            raise value_error(
                target, f"it accepts {rules['accept']}, not {file.name}.", hint,
                accept=rules["accept"], file=file.name,
            )  # fmt: skip


def accepts(accept: str, file: UploadFile) -> bool:
    """Return whether an input's `accept` allows the file: extensions, types, and types with *."""
    accepted_types = [word.strip().lower() for word in accept.split(",") if word.strip()]
    kind = file.mime_type or mimetypes.guess_type(file.name)[0] or ""
    name = file.name.lower()
    return not accepted_types or any(
        name.endswith(word)
        if word.startswith(".")
        else kind == word or (word.endswith("/*") and kind.startswith(word[:-1])) or word == "*/*"
        for word in accepted_types
    )


async def _use_file_chooser(
    target: Target, deadline: ActionDeadline, files: Sequence[UploadFile]
) -> ActionResult:
    tab, cdp = target.element.tab, target.element.frame.cdp
    opened: asyncio.Future[Any] = cdp.create_future()

    def listen(event: Event) -> None:
        if not opened.done():
            opened.set_result(event)

    async def act() -> None:
        await input_events.click(tab, x, y)
        try:
            async with asyncio.timeout(min(_CHOOSER_S, max(deadline.seconds_left, 0.05))):
                chooser = await opened
        except TimeoutError:
            raise value_error(
                target, "it is not a file input, and clicking it did not open a file chooser.",
                "Name the input (selector input[type=file]), or pass drop=true for a drop zone.",
            ) from None  # fmt: skip
        effects.file_choosers.clear()
        await _fill_chooser(target, deadline, chooser, files)

    x, y = await wait_ready(target, deadline)
    cdp.on("Page.fileChooserOpened", listen)
    await cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True})
    try:
        async with ActionEffects(tab) as effects:
            return await perform(target, deadline, effects, act)
    finally:
        cdp.off("Page.fileChooserOpened", listen)
        cancel_file_choosers(tab, cdp)


async def _fill_chooser(
    target: Target, deadline: ActionDeadline, chooser: Event, files: Sequence[UploadFile]
) -> None:
    node = chooser.get("backendNodeId")
    if node is None:  # showOpenFilePicker, which has no input to put files into
        hint = "Pass drop=true if the page takes dropped files."
        raise value_error(target, "its file chooser cannot be filled.", hint)
    tab, frame = target.element.tab, target.element.frame
    resolved = await frame.cdp.send("DOM.resolveNode", await _isolated_object(target, node))
    async with Element(tab, frame, str(resolved["object"]["objectId"])) as input_element:
        _check(target, await input_element.call(_RULES_OF), files)
        await _set_files(input_element, deadline, files)


async def _isolated_object(target: Target, node: int) -> dict[str, Any]:
    from ocd.browser.tabs import evaluate

    context = await evaluate.isolated_context(target.element.frame)
    return {"backendNodeId": node, "executionContextId": context}


async def _drop(
    target: Target, deadline: ActionDeadline, files: Sequence[UploadFile]
) -> ActionResult:
    tab = target.element.tab
    x, y = await wait_ready(target, deadline)
    paths = [str(file.path) for file in files]
    data = {"items": [], "files": paths, "dragOperationsMask": 1}

    async def send(kind: str) -> None:
        await tab.cdp.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})

    async def act() -> None:
        await target.element.call(_WATCH_DROP)
        await send("dragEnter")
        await send("dragOver")
        # Chromium would open a file that is dropped where the page does not accept it.
        if not await target.element.call(_TAKES_DROP):
            await send("dragCancel")
            raise value_error(
                target, "it does not accept dropped files.", "Name the drop zone itself."
            )
        await send("drop")

    async with ActionEffects(tab) as effects:
        return await perform(target, deadline, effects, act)
