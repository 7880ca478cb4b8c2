"""The regular expressions in our page scripts, and what they cost in node."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from support.expressions import Expression
from support.hostile import ANY, Shape, shapes
from support.npm import NODE

# What stands before a literal, and not before a division.
_BEFORE = frozenset("(,=:[!&|?{};+~<>%^*-\n")
_LITERAL = re.compile(r"/(?P<source>(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/(?P<flags>[a-z]*)")
_SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_MEASURE = """
const FLOOR_US = 3000;
const cost = (pattern, shape, length) => {
  const times = Math.max(1, Math.floor((length - shape[0].length) / shape[1].length));
  const text = shape[0] + shape[1].repeat(times) + shape[2];
  const begun = process.cpuUsage();
  text.replace(pattern, '');
  const used = process.cpuUsage(begun);
  return used.user + used.system;
};
for (const one of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  require('fs').writeSync(2, one.source + '\\n');
  const flags = one.flags.includes('g') ? one.flags : one.flags + 'g';
  const pattern = new RegExp(one.source, flags);
  const tried = one.shapes.map((shape) => [cost(pattern, shape, 3000), shape]);
  tried.sort((a, b) => b[0] - a[0]);
  for (const [, shape] of tried.slice(0, 3)) {
    let less = 0, more = Infinity;
    for (let i = 0; i < 4 && more > 15 * Math.max(less, FLOOR_US); i += 1) {
      less = Math.max(less, cost(pattern, shape, 10000));
      more = Math.min(more, cost(pattern, shape, 100000));
    }
    if (more > 15 * Math.max(less, FLOOR_US)) {
      console.log(JSON.stringify([one.source, shape, less, more]));
      break;
    }
  }
}
"""


def sources() -> Iterator[str]:
    """Yield the text of every page script."""
    spec = find_spec("ocd")
    assert spec
    assert spec.origin
    for path in sorted(Path(spec.origin).parent.rglob("*.js")):
        yield path.read_text("utf-8")


def literals(script: str) -> Iterator[tuple[str, str]]:
    """Yield source and flags of each literal of a script, those inside of templates too."""
    at, before, braces = 0, "\n", [0]
    while at < len(script):
        sign = script[at]
        inside = braces[-1] < 0
        if sign == "`" or (script.startswith("${", at) if inside else sign in "{}"):
            at = _nested(script, at, braces)
            before = script[at - 1]
        elif inside:
            at += 2 if sign == "\\" else 1
        elif skipped := _SKIPPED.match(script, at):
            before = before if sign == "/" else sign
            at = skipped.end()
        elif sign == "/" and (before in _BEFORE or script[:at].rstrip().endswith("return")):
            literal = _LITERAL.match(script, at)
            assert literal, script[at : at + 60]
            yield literal["source"], literal["flags"]
            at, before = literal.end(), sign
        else:
            before = before if sign in " \t\r" else sign
            at += 1


def _nested(script: str, at: int, braces: list[int]) -> int:
    """Follow a backtick or a brace; `braces` counts those open, -1 stands for a template."""
    sign = script[at]
    if sign == "`":
        braces.pop() if braces[-1] < 0 else braces.append(-1)
    elif sign == "$":
        braces.append(0)
        return at + 2
    elif sign == "{":
        braces[-1] += 1
    elif braces[-1] == 0 and len(braces) > 1:
        braces.pop()
    else:
        braces[-1] -= 1
    return at + 1


def hostile(source: str, flags: str) -> list[Shape]:
    """Return the shapes for an expression, as far as Python reads it too."""
    plain = re.sub(r"\\p\{\w+\}", r"\\w", source).replace("(?<", "(?P<")
    plain = plain.replace("(?P<!", "(?<!").replace("(?P<=", "(?<=")
    try:
        own = shapes(Expression(plain, "".join(one for one in flags if one in "ims"), "search"))
    except re.error:
        own = []
    return list(dict.fromkeys([*own, *ANY]))


def slow(found: list[tuple[str, str]], limit_s: int = 60) -> list[str]:
    """Return those that cost more than linear time in node; `limit_s` of CPU for all of them."""
    given = [
        {
            "source": source,
            "flags": flags,
            "shapes": [[one.head, one.pump, one.tail] for one in hostile(source, flags)],
        }
        for source, flags in found
    ]
    done = subprocess.run(
        ["prlimit", f"--cpu={limit_s}", NODE, "-e", _MEASURE], input=json.dumps(given), text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return [*done.stdout.splitlines(), f"ended its process: {done.stderr.splitlines()[-1]}"]
    return done.stdout.splitlines()
