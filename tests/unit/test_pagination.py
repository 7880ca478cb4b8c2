"""Paginating a viewer that responds too late: no page is skipped, none is lost."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ocd.api.errors import OcdError
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.payload import JsonLinesFile
from ocd.workflows.pagination import PaginationRun
from ocd.workflows.viewer_capture import PaginationPlan, ViewerCapture

TEXTS = ["one", "two", "three"]


@dataclass
class Viewer:
    """Pages that a click turns; `late` says of each click whether it worked and was not answered.

    True: the page has turned, False: it has not, None: it was answered.
    """

    late: list[bool | None]
    at: int = 0
    asked: list[str] = field(default_factory=list)

    async def run(self, verb: str, args: dict[str, Any], **_: object) -> SimpleNamespace:
        self.asked.append(verb)
        if verb == "interact":
            self._click()
        if verb == "wait_for" and args["type"] == "function":
            before = args["value"].rpartition(" !== ")[2].strip('"')
            if before == TEXTS[self.at]:
                raise OcdError("timeout", "The page stays the same")
        return SimpleNamespace(data={}, content=TEXTS[self.at], origin="", image=None)

    def _click(self) -> None:
        if self.at == len(TEXTS) - 1:
            raise OcdError("not_enabled", "The button is disabled")
        late = self.late.pop(0)
        self.at += late is not False
        if late is not None:
            raise OcdError("timeout", "interact took more than 5 s")


async def paged(folder: Path, viewer: Viewer) -> tuple[str, list[str]]:
    work = TaskHandle("0" * 16, "default", folder)
    plan = PaginationPlan(
        tab_id="t1", strategy="click", capture="text", total=None, start=1, max_pages=9,
        target={"selector": "#next"}, url_template="", page_size=1, key="", screens=1,
        selector="", wait_ms=1,
    )  # fmt: skip
    run = PaginationRun(work, plan, ViewerCapture(viewer, work, plan, folder))
    ended_by = (await run.run())["ended_by"]
    work.close()
    return ended_by, [line.decode() for line in JsonLinesFile(work.units)]


async def test_a_click_with_a_late_response_is_not_repeated(tmp_path: Path) -> None:
    viewer = Viewer([True, None])
    ended_by, pages = await paged(tmp_path, viewer)
    assert [text in page for text, page in zip(TEXTS, pages, strict=True)] == [True] * 3
    assert (ended_by, viewer.asked.count("interact")) == ("no_next", 3)


async def test_a_lost_click_is_repeated(tmp_path: Path) -> None:
    viewer = Viewer([False, None, None])
    ended_by, pages = await paged(tmp_path, viewer)
    assert [text in page for text, page in zip(TEXTS, pages, strict=True)] == [True] * 3
    assert (ended_by, viewer.asked.count("interact")) == ("no_next", 4)
