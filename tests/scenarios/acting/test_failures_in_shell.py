"""No action that failed, or that hit another element, exits with 0."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from support.pages import Page

At = Callable[[str], Page]

# The error that each command line ends with.
FAILURES = [
    ("element_not_found", "interact --query 'Nothing of the sort'"),
    ("ambiguous", "interact --query Twin"),
    ("stale_ref", "interact e99999"),
    ("element_not_found", "interact --selector '#missing'"),
    ("invalid_argument", "interact --selector '###'"),
    ("ambiguous", "interact --selector 'button'"),
    ("covered", "interact --selector '#covered' --timeout-ms 400"),
    ("not_enabled", "interact --selector '#disabled' --timeout-ms 400"),
    ("not_enabled", "interact --selector '#aria' --timeout-ms 400"),
    ("not_visible", "interact --selector '#none' --timeout-ms 400"),
    ("not_visible", "interact --selector '#unseen' --timeout-ms 400"),
    ("not_visible", "interact --selector '#away' --timeout-ms 400"),
    ("not_enabled", "interact --selector '#ghost' --timeout-ms 400"),
    ("not_enabled", "interact --selector '#inert' --timeout-ms 400"),
    ("moving", "interact --selector '#spins' --timeout-ms 600"),
    ("covered", "interact --selector '#shy' --timeout-ms 1500"),
    ("wrong_value", "interact --selector '#plain' --action check"),
    ("wrong_value", "interact --selector '#radio' --action uncheck"),
    ("wrong_value", "interact --selector '#sticky' --action check"),
    ("wrong_value", "interact --selector '#deaf' --action check"),
    (
        "option_not_found",
        "interact --selector '#city' --action select --value Paris --timeout-ms 400",
    ),
    ("wrong_value", """form-input --selector '#city' '["Rome","Oslo"]' --timeout-ms 400"""),
    ("not_enabled", "interact --selector '#city' --action select --value Oslo --timeout-ms 400"),
    ("wrong_value", "interact --selector '#link' --action select --value Rome --timeout-ms 400"),
    ("wrong_value", "interact --selector '#link' --action clear --timeout-ms 400"),
    ("wrong_value", "interact --selector '#plain' --action press --value NoSuchKey"),
    ("not_found", "interact --action accept_dialog"),
    ("tab_not_found", "interact --tab-id t99999 --query Link"),
    ("not_enabled", "form-input --selector '#readonly' new --timeout-ms 400"),
    ("not_enabled", "form-input --selector '#greyed' new --timeout-ms 400"),
    ("wrong_value", "form-input --selector '#day' tomorrow"),
    ("wrong_value", "form-input --selector '#count' many"),
    ("wrong_value", "form-input --selector '#level' 11"),
    ("wrong_value", "form-input --selector '#colour' reddish"),
    ("wrong_value", "form-input --selector '#short' four"),
    ("wrong_value", "form-input --selector '#stubborn' words"),
    ("wrong_value", "form-input --selector '#box' maybe"),
    ("wrong_value", "form-input --selector '#link' words"),
    ("wrong_value", "form-input --selector '#picture' me.png"),
    ("option_not_found", "form-input --selector '#city' Paris --timeout-ms 400"),
    ("fields_failed", 'fill-form \'{"Plain": "a", "No such field": "b"}\' --wait-for-ms 0'),
    ("element_not_found", "fill-form '{\"Plain\": \"a\"}' --submit 'No such button'"),
    ("not_understood", "act 'frobnicate the link'"),
    ("element_not_found", "act 'click Link, then click Nowhere at all'"),
    ("not_understood", "act 'type words'"),
    ("element_not_found", "act 'scroll down in Nowhere at all'"),
    ("element_not_found", "drag-drop --source-query 'No such card' --target-selector '#link'"),
    ("element_not_found", "drag-drop --source-selector '#source' --target-query 'No such bin'"),
    ("file_not_found", "file-upload --selector '#picture' /no/such/file.png"),
    ("wrong_value", "file-upload --selector '#plain' {file}"),
    ("wrong_value", "file-upload --selector '#picture' {file} --timeout-ms 500"),
    ("invalid_argument", "computer left_click --coordinate 99999,99999"),
    ("wrong_value", "computer key --text NoSuchKey"),
    ("timeout", "wait-for selector '#missing' --timeout-ms 200"),
    ("timeout", "wait-for text 'never said' --timeout-ms 200"),
    ("timeout", "wait-for download --timeout-ms 200"),
    ("navigation_failed", "navigate http://127.0.0.1:1/"),
]


@pytest.fixture
def failing(at: At) -> Page:
    return at("failures.html")


@pytest.mark.parametrize(("code", "line"), FAILURES, ids=[line for _, line in FAILURES])
def test_failure_exits_with_an_error(failing: Page, code: str, line: str) -> None:
    """Exit status and error are the right ones, and no other element was hit."""
    file = Path(failing.daemon.home.base) / "tmp" / "plain.txt"
    file.write_text("x")
    words = shlex.split(line.replace("{file}", str(file)))
    done = failing.daemon.oc("--json", *words)
    if done.code == 4 and code != "timeout":  # the machine stood still while it was waited
        if "--timeout-ms" in words:
            words = words[: words.index("--timeout-ms")]
        done = failing.daemon.oc("--json", *words, "--timeout-ms", "30000")
    assert (json.loads(done.out)["error"]["code"], done.code != 0) == (code, True)
    if not line.startswith(("navigate", "act 'click Link, then")):
        assert failing.text("#said") == "untouched"


def test_read_only_field_error_says_what_to_do(failing: Page) -> None:
    """Such fields are set by the page, through what a click opens."""
    done = failing.daemon.oc("form-input", "--selector", "#readonly", "new", "--timeout-ms", "200")
    assert "click it, and choose from what opens" in done.err


def test_hint_names_the_dialog_that_keeps_the_page_from_being_used(at: At) -> None:
    """What is behind a modal dialog is not found, and what a dialog lies over is covered by it."""
    page = at("modal.html")
    oc = page.daemon.oc
    page.do("interact", query="Close")
    done = oc("select", "Unit", "s", "--wait-for-ms", "0")
    assert (done.code, 'dialog "Unsaved changes" [ref=e' in done.err) == (1, True)
    page.do("interact", query="Discard")
    page.do("interact", query="Settings")
    done = oc("click", "Close", "--timeout-ms", "500")
    assert (done.code, 'is covered by dialog "Program settings" [ref=e' in done.err) == (1, True)
    page.do("interact", query="Done")
    assert oc("select", "Unit", "s").code == 0
