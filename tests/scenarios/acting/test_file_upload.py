"""file_upload: inputs, choosers, drop zones, and files that cannot be given."""

import base64
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.waiting import wait_until

At = Callable[[str], Page]


@pytest.fixture
def files(daemon: Daemon) -> Path:
    """A folder that the daemon lets callers name."""
    return Path(mkdtemp(dir=daemon.home.base / "tmp"))


def content(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def note(name: str = "note.txt", text: str = "hello") -> dict[str, Any]:
    return {"name": name, "content": content(text)}


def said(page: Page) -> str:
    return page.text("#said")


def test_file_by_path_is_sent(at: At, files: Path) -> None:
    """The site gets the file's name and bytes once the form is sent."""
    (files / "report.csv").write_text("a,b\n")
    page = at("upload.html")
    result = page.do(
        "file_upload", query="Report", files=[{"file_path": str(files / "report.csv")}]
    )
    assert result["files"] == [{"name": "report.csv", "size": 4}]
    assert (result["method"], result["count"]) == ("input", 1)
    page.do("interact", query="Send files")
    assert ("report.csv", b"a,b\n") in page.site.state.uploads


def test_field_that_shows_the_name_of_the_file(at: At) -> None:
    """It is read-only, and the input stands beside it, behind a button with other words."""
    page = at("upload.html")
    page.js(
        "document.body.innerHTML = '<div><label for=shown>Invoice</label><div><div><input id=shown"
        ' readonly></div><div><a>Browse...<input type=file id=it style="opacity:0;width:9px">'
        "</a></div></div></div><div><label>Notes <input></label></div>';"
        "it.onchange = () => { shown.value = it.files[0].name }; 1"
    )
    page.do("file_upload", query="Invoice", files=[note("march.txt")])
    assert page.js("shown.value") == "march.txt"


@pytest.mark.parametrize("name", ["note.txt", "Résumé 한국 👋.txt", "a b'c.txt"])
def test_content_is_sent_under_its_name(at: At, name: str) -> None:
    """Bytes in base64 arrive under the name that the caller gave them."""
    page = at("upload.html")
    page.do("file_upload", selector="#report", files=[note(name)])
    page.do("interact", query="Send files")
    assert (name, b"hello") in page.site.state.uploads


def test_a_file_can_be_given_another_name(at: At, files: Path) -> None:
    """`name` beside file_path is the name that the page sees."""
    (files / "x1").write_text("hello")
    page = at("upload.html")
    one = {"file_path": str(files / "x1"), "name": "letter.txt"}
    page.do("file_upload", selector="#report", files=[one])
    assert said(page) == "report: letter.txt 5"


def test_several_files(at: At, files: Path) -> None:
    """Content and paths, mixed, to an input that takes several."""
    (files / "b.pdf").write_text("pdf")
    page = at("upload.html")
    page.do(
        "file_upload",
        selector="#pictures",
        files=[note("a.png")],
        file_paths=[str(files / "b.pdf")],
    )
    assert said(page) == "pictures: a.png 5, b.pdf 3"


def test_folder_for_an_input_of_folders(at: At, files: Path) -> None:
    """A folder's files go to an input with webkitdirectory."""
    for name in ("one.txt", "two.txt"):
        (files / name).write_text("x")
    page = at("upload.html")
    result = page.do("file_upload", selector="#folder", file_paths=[str(files)])
    assert "one.txt 1" in said(page)
    assert "two.txt 1" in said(page)
    assert result["files"][0]["size"] == 2


@pytest.mark.parametrize("field", ["#folder", "button:nth-of-type(3)"])
def test_upload_of_a_folder_ends_when_the_page_has_its_files(
    at: At, files: Path, field: str
) -> None:
    """Browsers read a folder after it was chosen; the next call finds all its files."""
    for number in range(3000):
        (files / f"{number}.txt").touch()
    page = at("upload.html")
    page.do("file_upload", selector=field, file_paths=[str(files)], timeout_ms=60_000)
    assert said(page).count(".txt 0") == 3000


def test_folder_that_was_chosen_already(at: At, files: Path) -> None:
    """The input holds it already, so the call returns although nothing changes."""
    (files / "one.txt").write_text("x")
    page = at("upload.html")
    for _ in range(2):
        result = page.do("file_upload", selector="#folder", file_paths=[str(files)])
    assert result["count"] == 1
    assert said(page) == "folder: one.txt 1"


def test_two_folders_for_an_input_of_folders(at: At, files: Path) -> None:
    """A person can choose only one: the page gets neither."""
    folders = [files / "one", files / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "note.txt").write_text("x")
    page = at("upload.html")
    reply = page.call("file_upload", selector="#folder", file_paths=[str(one) for one in folders])
    assert reply.code == "wrong_value"
    assert said(page) == ""


def test_hidden_input_is_given_its_file(at: At) -> None:
    """An input that nobody sees is named by its selector."""
    page = at("upload.html")
    page.do("file_upload", selector="#secret", files=[note()])
    assert said(page) == "secret: note.txt 5"


@pytest.mark.parametrize("button", ["Choose a file", "Choose a bit later"])
def test_chooser_of_a_button_is_answered(at: At, button: str) -> None:
    """A button that opens a chooser gets the file, without any window."""
    page = at("upload.html")
    result = page.do("file_upload", query=button, files=[note()])
    assert result["method"] == "chooser"
    assert said(page) == "secret: note.txt 5"


def test_button_below_a_transparent_input(at: At) -> None:
    """A transparent input over a button is what a click on the button would open."""
    page = at("upload.html")
    result = page.do("file_upload", query="Pick one from disk", files=[note()])
    assert result["method"] == "input"
    assert said(page) == "over: note.txt 5"


def test_drop_zone_gets_files(at: At) -> None:
    """Files are dropped where the page takes drops."""
    page = at("upload.html")
    result = page.do("file_upload", query="Drop zone", files=[note()], drop=True)
    assert (result["method"], said(page)) == ("drop", "dropped: note.txt 5")


def test_drop_elsewhere_opens_nothing(at: At) -> None:
    """What takes no drops is `wrong_value`, and the page stays."""
    page = at("upload.html")
    reply = page.call("file_upload", query="Nothing", files=[note()], drop=True)
    assert reply.code == "wrong_value"
    assert page.js("document.title") == "Upload"


@pytest.mark.parametrize(
    ("selector", "files", "code"),
    [
        ("#report", [note(), note("b.txt")], "wrong_value"),
        ("#pictures", [note("a.exe")], "wrong_value"),
        ("#folder", [note()], "wrong_value"),
        ("#locked", [note()], "not_enabled"),
        ("#said", [note()], "not_visible"),
        ("button:nth-of-type(3)", [note()], "wrong_value"),
        ("#nowhere", [note()], "element_not_found"),
        ("#report", [], "source_missing"),
        ("#report", [{"name": "a.txt"}], "source_missing"),
        ("#report", [{**note(), "file_path": "/tmp/x"}], "source_conflict"),
        ("#report", [{"content": content("x")}], "invalid_argument"),
        ("#report", [{"name": "a.txt", "content": "%%%"}], "invalid_argument"),
        ("#report", [{"name": "..", "content": content("x")}], "invalid_argument"),
        ("#report", [{"file_path": "/etc/hostname"}], "path_outside_roots"),
        ("#report", [{"file_path": "note.txt"}], "path_not_absolute"),
    ],
)
def test_file_that_cannot_be_uploaded(at: At, selector: str, files: list[Any], code: str) -> None:
    """Each reason has its code, and the page gets nothing."""
    page = at("upload.html")
    reply = page.call_in_short("file_upload", selector=selector, files=files)
    assert reply.code == code
    assert said(page) == ""


def test_error_names_the_file(at: At, files: Path) -> None:
    """Of several entries the offending one is named."""
    page = at("upload.html")
    given = [note(), {**note("both.txt"), "file_path": "/tmp/x"}]
    assert page.call("file_upload", selector="#pictures", files=given).error["file"] == "both.txt"
    path = str(files / "missing")
    missing = page.call("file_upload", selector="#report", files=[{"file_path": path}])
    assert missing.code == "file_not_found"
    assert (missing.error["errno"], missing.error["path"]) == (2, path)


def test_passed_files_are_deleted_with_the_tab(at: At) -> None:
    """What a call brought along is deleted when its tab is closed."""
    page = at("upload.html")
    page.do("file_upload", selector="#report", files=[note()])

    def brought() -> bool:
        # By os.walk, to which a folder that goes meanwhile is no error.
        walked = os.walk(page.daemon.home.path / "files")
        return any("note.txt" in names for _folder, _folders, names in walked)

    assert brought()
    page.do("tabs_close")
    wait_until(lambda: not brought(), 20, "the end of what was brought")


def test_element_comes_first_in_the_shell(at: At) -> None:
    """As in every other command: a ref or words, then the files."""
    page = at("form.html")
    page.js("document.body.innerHTML = '<label>Picture <input type=file id=f></label>'; 1")
    file = page.daemon.home.base / "tmp" / "me.png"
    file.write_bytes(b"png")
    page.daemon.oc("file-upload", page.ref("Picture"), str(file)).ok()
    assert page.js("f.files[0].name") == "me.png"
    page.daemon.oc("file-upload", "Picture", str(file)).ok()
    alone = page.daemon.oc("file-upload", str(file))
    assert alone.code == 2
    assert "oc upload e12 FILE" in alone.err


def test_input_inside_a_box_of_the_same_words_is_meant(at: At) -> None:
    page = at("upload-in-box.html")
    page.do("file_upload", query="Select files", files=[note()])
    assert said(page) == "note.txt"


def test_input_without_a_name_is_called_as_its_button(at: At, files: Path) -> None:
    """As the outline prints it: `file "Choose Files"`."""
    page = at("upload.html")
    page.js("document.body.innerHTML = '<input type=file multiple><input type=file>'")
    (files / "a.txt").write_text("a")
    page.do("file_upload", query="Choose Files", file_paths=[str(files / "a.txt")])
    assert (
        page.js("[...document.querySelectorAll('input')].map((one) => one.files.length).join()")
        == "1,0"
    )
