"""oc_evidence_bundle and oc_diff: evidence is stored, fetched, judged and compared."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.orders import Order
from support.site import Site


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


def files_of(bundle: dict[str, Any]) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(bundle["path"]).iterdir()}


def test_a_live_bundle_has_its_parts_on_disk(order: Order) -> None:
    """DOM, outline, picture, requests, console and facts, each in a file, listed in a manifest."""
    bundle = order.bundle()
    assert bundle["inconclusive_reason"] is None
    assert set(bundle["parts"]) >= {"dom", "screenshot", "network", "console", "facts"}
    files = files_of(bundle)
    assert sum(one["size_bytes"] for one in bundle["files"]) == bundle["size_bytes"]
    assert set(files) == {"bundle.json", *(one["file"] for one in bundle["files"])}
    assert b"Kettle" in files["dom.html"]
    assert b"Your order" in files["outline.txt"]
    assert files["screenshot.png"].startswith(b"\x89PNG")
    network = json.loads(files["network.json"])["entries"]
    assert any(one["url"].endswith("order.html") and one["status"] == 200 for one in network)
    console = json.loads(files["console.json"])["entries"]
    assert ("log", "ready") in [(one["level"], one["text"]) for one in console]
    facts = json.loads(files["facts.json"])
    assert facts["title"] == "Order"
    assert facts["has_open_dialog"] is False
    assert facts["performance"]["dom_nodes"] > 5
    folder = Path(bundle["path"])
    assert folder.parent == order.daemon.home.path / "evidence"
    assert folder.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_secrets_are_not_stored(order: Order) -> None:
    """Passwords, tokens in pages and addresses, and what the console says of them are masked."""
    order.click("post")
    order.click("fail")
    whole = b"".join(files_of(order.bundle()).values())
    for secret in (b"hunter2", b"f00dcafe1234", b"verysecrettoken123"):
        assert secret not in whole
    assert b"SPRING" in whole


def test_only_requested_parts_are_stored(order: Order) -> None:
    """`include` names the parts."""
    assert set(order.bundle(include=["screenshot", "phash"])["parts"]) == {"screenshot", "phash"}
    assert order.bundle(include=["contract_facts"])["parts"] == ["facts"]
    assert order.call("oc_evidence_bundle", include=["soul"]).code == "invalid_argument"


def test_missing_evidence_is_a_reason_not_an_error(order: Order) -> None:
    """A part that was not supplied is named in inconclusive_reason; the rest is stored."""
    snapshot = {"dom": "<p>hi</p>", "url": "http://a/"}
    bundle = order.bundle(include=["dom", "screenshot", "gate"], evidence={"snapshot": snapshot})
    assert bundle["parts"] == ["dom"]
    assert "screenshot" in bundle["inconclusive_reason"]
    assert "gate" in bundle["inconclusive_reason"]
    order.click("ask")
    behind = order.bundle()
    assert "dialog" in behind["inconclusive_reason"]
    assert set(behind["parts"]) >= {"network", "console", "facts"}
    order.do("interact", action="dismiss_dialog")


def test_a_bundle_of_supplied_evidence_needs_no_page(daemon: Daemon) -> None:
    """What the caller supplies is kept as it is, but for secrets; nothing is captured."""
    dot = base64.b64encode(_picture()).decode()
    snapshot = {
        "dom": "<h1>Shop</h1>", "screenshot_png_base64": dot, "url": "http://shop/",
        "network": [{"url": "http://shop/?password=hunter2", "status": 200}],
        "console": [{"type": "error", "message": "bad"}],
        "contract_facts": {"dom_count": {"h1": 1}},
    }  # fmt: skip
    bundle = daemon.do("oc_evidence_bundle", "nobody", evidence={"snapshot": snapshot})
    assert bundle["source"] == "supplied"
    assert set(bundle["parts"]) == {"dom", "screenshot", "network", "console", "facts"}
    assert b"hunter2" not in b"".join(files_of(bundle).values())
    contract = {
        "and": [
            {"kind": "dom_count", "selector": "h1", "value": 1},
            {"kind": "dom_text", "contains": "Shop"},
            {"kind": "url", "equals": "http://shop/"},
            {"kind": "network", "url_pattern": "^http://shop/", "status_in": [200]},
            {"kind": "console", "level": "error", "min": 1, "max": 1},
            {"kind": "screenshot_class", "exemplar": dot, "distance_max": 0},
        ]
    }
    told = daemon.do("oc_assert", contract=contract, evidence=bundle["bundle_id"])
    assert told["verdict"] == "pass", told
    assert told["provenance"]["bundle_id"] == bundle["bundle_id"]


def _picture() -> bytes:
    import io

    from PIL import Image, ImageDraw

    image = Image.new("RGB", (200, 200), "white")
    ImageDraw.Draw(image).ellipse([20, 20, 120, 90], fill="navy")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def test_schema_diff_compares_what_was_observed(daemon: Daemon) -> None:
    """Missing fields, wrong types and extra fields are listed one by one."""
    target = {
        "version": 1,
        "fields": [
            {"name": "title", "type": "string"},
            {"name": "price", "type": "number"},
            {"name": "stock", "type": "integer", "required": False},
        ],
    }
    observed = [{"title": "Kettle", "price": "12"}, {"title": "Cup", "colour": "red"}]
    evidence = {"snapshot": {"observed": observed, "dom": "<p>"}}
    bundle = daemon.do("oc_evidence_bundle", evidence=evidence, target_schema=target)
    diff = bundle["schema_diff"]
    assert diff["matches"] is False
    assert diff["mismatched"] == [
        {"field": "[0].price", "expected": "number", "observed": "string"}
    ]
    assert diff["missing"] == ["[1].price"]
    assert diff["extra"] == ["[1].colour"]
    assert "schema_diff.json" in files_of(bundle)
    wrong = {"fields": [{"name": "a", "type": "nonsense"}]}
    error = daemon.call("oc_evidence_bundle", evidence=evidence, target_schema=wrong).error
    assert (error["code"], error["parameter"]) == (
        "invalid_argument", "target_schema.fields[0].type",
    )  # fmt: skip


def test_a_bundle_is_redeemed_by_handle(order: Order) -> None:
    """With output_mode=handle, the handle contains the bundle and can be used in its place."""
    found = order.do("oc_evidence_bundle", output_mode="handle")
    page = order.do("oc_output_fetch", output_handle=found["output_handle"], limit=10_000_000)
    content = page["content"]
    stored = json.loads(base64.b64decode(content) if page["format"] == "bytes" else content)
    assert "Kettle" in stored["contents"]["dom"]
    assert stored["contents"]["facts"]["title"] == "Order"
    assert base64.b64decode(stored["contents"]["screenshot_png_base64"]).startswith(b"\x89PNG")
    assert (
        order.verdict({"kind": "dom_text", "contains": "Kettle"}, evidence=found["output_handle"])
        == "pass"
    )
    same = order.do("oc_diff", a=found["output_handle"], b=stored["bundle_id"])
    assert same["same"] is True
    assert "contents" not in order.bundle()
    handle = order.do("read_page", output_mode="handle")["output_handle"]
    assert order.call("oc_diff", a=handle, b=handle).code == "invalid_argument"


def test_a_bundle_can_be_a_task(order: Order) -> None:
    """oc_evidence_bundle is a kind of the ledger: its result is what the direct call returns."""
    task = order.daemon.start_task("oc_evidence_bundle", include=["facts"])
    assert order.daemon.finish(task)["status"] == "COMPLETED"
    assert order.daemon.result_of(task)["parts"] == ["facts"]


def test_diff_reports_what_has_changed(order: Order) -> None:
    """A new line, a request, a console entry and the address; refs and times do not count."""
    one = order.bundle()["bundle_id"]
    again = order.bundle()["bundle_id"]
    assert order.do("oc_diff", a=one, b=again)["same"] is True
    order.click("more")
    order.click("post")
    order.click("warn")
    two = order.bundle()["bundle_id"]
    found = order.do("oc_diff", a=one, b=two)
    assert found["same"] is False
    assert found["total"] == len(found["differences"])
    by_part: dict[str, list[dict[str, Any]]] = {}
    for one_difference in found["differences"]:
        by_part.setdefault(one_difference["part"], []).append(one_difference)
    assert any("Cup" in str(one.get("after")) for one in by_part["outline"])
    assert {"change": "changed", "what": "<li>", "before": 2, "after": 3} in [
        {key: one[key] for key in ("change", "what", "before", "after")} for one in by_part["dom"]
    ]
    assert any("POST" in one["after"] and "/echo" in one["after"] for one in by_part["network"])
    assert by_part["console"][0]["after"] == "warning: careful"
    assert "verysecrettoken123" not in json.dumps(found)


def test_diff_is_paged(order: Order, site: Site) -> None:
    """offset and limit page the differences; next_step goes on."""
    one = order.bundle(include=["dom"])["bundle_id"]
    order.do("navigate", url=site.url("article.html"))
    two = order.bundle(include=["dom"])["bundle_id"]
    whole = order.do("oc_diff", a=one, b=two)
    pages, offset = [], 0
    while offset is not None:
        page = order.do("oc_diff", a=one, b=two, offset=offset, limit=4)
        pages += page["differences"]
        offset = page["next_offset"]
        assert (offset is None) == ("next_step" not in page)
    assert pages == whole["differences"]
    assert whole["total"] == len(pages) > 4


@pytest.mark.parametrize("bad", ["ev_AAAAAAAAAAAA", "../../etc", "", "oh_AAAAAAAAAAAA", "경로"])
def test_unknown_bundles_are_refused(daemon: Daemon, bad: str) -> None:
    """Text never becomes a path: an unknown bundle id is not_found."""
    code = daemon.call("oc_diff", a=bad, b=bad).code
    assert code in ("not_found", "output_handle_not_found", "invalid_argument")
    contract = {"kind": "url", "contains": "x"}
    assert daemon.call("oc_assert", contract=contract, evidence=bad).status >= 400


def test_an_unreadable_bundle_is_named_and_not_overwritten(order: Order) -> None:
    """A damaged manifest, or one of a newer version, is an error with its path."""
    bundle = order.bundle(include=["facts"])
    manifest = Path(bundle["path"]) / "bundle.json"
    whole = json.loads(manifest.read_bytes())
    for text in ("{", json.dumps({**whole, "version": 99})):
        manifest.write_text(text)
        error = order.call("oc_diff", a=bundle["bundle_id"], b=bundle["bundle_id"]).error
        assert (error["code"], error["path"]) == ("unreadable_file", str(manifest))
        assert manifest.read_text() == text


# --- screenshot classes ------------------------------------------------------------------------


@pytest.mark.parametrize("class_id", ["checkout", "../결제 화면 ✅", "a/b", "x" * 10_000])
def test_a_screenshot_class_knows_its_pages(order: Order, site: Site, class_id: str) -> None:
    """A class has exemplars; pages like them pass, others fail; any text names a class."""
    leaf = {"kind": "screenshot_class", "class_id": class_id, "distance_max": 6}
    assert order.verdict(leaf) == "inconclusive"
    bundle = order.bundle(include=["screenshot"], class_id=class_id)
    assert bundle["screenshot_class"]["exemplars"] == 1
    assert order.verdict(leaf) == "pass"
    assert order.verdict({**leaf, "class_id": bundle["bundle_id"]}) == "pass"
    order.do("navigate", url=site.url("form.html"))
    assert order.verdict(leaf) == "fail"
    classes = order.daemon.home.path / "evidence" / "classes"
    assert all(path.parent == classes and len(path.name) < 100 for path in classes.iterdir())
