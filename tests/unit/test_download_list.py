"""The list of downloads, while other processes delete files."""

from pathlib import Path

from ocd.verbs.downloads import _files


def test_a_file_deleted_during_listing_is_left_out(tmp_path, monkeypatch):
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    is_file = Path.is_file

    def take_away(path: Path) -> bool:
        found = is_file(path)
        if path.name == "one":
            path.unlink()
        return found

    monkeypatch.setattr(Path, "is_file", take_away)
    assert [file["file"] for file in _files(tmp_path)] == ["two"]
    assert _files(tmp_path / "none") == []
