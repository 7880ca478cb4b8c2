"""Output handles: scripts/verify/A-output-handles.sh, the verification of the requirements."""

import re
from pathlib import Path

from support.daemon import Home
from support.shell import run_script

EXPECTED = [
    "Scenario 1: default mode shows no envelope",
    "OK",
    "Scenario 2: output_mode='handle' returns a redeemable descriptor",
    r"OK handle=oh_[A-Z2-7]{12} size=\d{4,} preview_len=204[0-8]",
    "Scenario 3: oc_output_fetch paginates correctly",
    "OK returned=3 total=3 next=null eof=true",
    "OK returned=2 total=3 next=2 eof=false",
    "OK returned=1 total=3 next=null eof=true",
    "Scenario 4: unknown handle returns a structured error",
    "OK",
    "Scenario 5: handle response size",
    r"inline=\d{6,} handle=\d{4}",
    "OK",
    "Scenario 7: oc_journal records handle creation",
    "OK",
    r'\["event","handle","mime_type","size_bytes","source_tool","ts"\]',
    "Scenario 6: TTL eviction",
    "OK",
]


def test_the_seven_scenarios(home: Home, tmp_path: Path) -> None:
    """Each prints the seed's line; scenario 5 records its numbers where it is told to."""
    numbers = tmp_path / "bytes.txt"
    printed = run_script(home, "verify/A-output-handles.sh", str(numbers)).splitlines()
    assert len(printed) == len(EXPECTED), printed
    for line, expected in zip(printed, EXPECTED, strict=True):
        assert re.fullmatch(expected, line), (line, expected)
    assert numbers.read_text(encoding="utf-8").strip() == printed[11]
