"""The Markdown library ends the process that gets no memory: what it takes is asked for first."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts as Linux does")
MB = 1 << 20
SHAPES = {
    "inline": "<i>x</i>" * 12_000,
    "paragraphs": "<p>some words of a paragraph here</p>" * 4_000,
    "text": "word and " * 40_000,
    "lists": "<ul>" * 50 + "<li><a href=/x>y</a>" * 5_000,
    "quotes": "<blockquote>" * 20 + "<p>x</p>" * 3_000,
    "cells": "<table>" + "<tr><td>1<td>2" * 5_000 + "</table>",
    "breaks": "x<br>" * 12_000,
    "ampersands": "x &amp; " * 12_000,
    "latin signs": "\xe9" * 90_000,
    "code": "<pre><code>" + "x = 1\n" * 15_000,
    "images": "<img alt=x src=/some/picture.png>" * 3_000,
}
# Converts stdin's document in children that may have so much more memory than they have; prints
# what became of each: 0 text, 1 MemoryError, else how it ended.
RUN = f"""
import os, resource, sys
from ocd.content.converter import convert

html = sys.stdin.read()
convert("<p>x</p>", "", "MARKDOWN")
size = int(next(l for l in open("/proc/self/status") if l.startswith("VmData")).split()[1]) << 10
for room in map(int, sys.argv[1:]):
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (size + room * {MB},) * 2)
        try:
            convert(html, "http://a.example/of/some/length", "MARKDOWN")
        except MemoryError:
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), end=" ")
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_conversion_without_enough_memory_raises_memory_error(shape: str) -> None:
    """With any amount: the text, or MemoryError; the process continues."""
    rooms = [*range(24), *range(24, 80, 4), 400]
    command = [sys.executable, "-P", "-c", RUN, *map(str, rooms)]
    done = subprocess.run(
        command, input=SHAPES[shape], env=os.environ, capture_output=True, text=True, check=True
    )
    ended = [int(word) for word in done.stdout.split()]
    assert len(ended) == len(rooms)
    assert set(ended) <= {0, 1}, dict(zip(rooms, ended, strict=True))
    assert ended[-1] == 0
