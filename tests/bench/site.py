"""The bench's site: pages of ~20 KB with a style sheet, a script and pictures, served fast.

Answers are built at start, so that the server's share of the machine stays small and equal for
everybody. `python site.py --pages 300` prints its base URL and serves until its input closes.
`--short`: pages of some 2 KB that are built when they are asked for, as many as one wants.
`--folder`: the files of a folder instead. `--delay-ms`: how long each answer takes.
"""

import argparse
import asyncio
import mimetypes
import random
import struct
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

WORDS = (
    "handle ledger task crawl frontier robots sitemap session target frame socket daemon record "
    "preview offset window outline accessible name role ref page fetch answer deadline cancel"
).split()
FANOUT = 10
ROWS = 3000
CLICKED = """<p>A short paragraph with a <a href=/form>link to the form</a>.</p>
<button onclick="document.querySelector('#n').textContent = ++window.clicks">Count</button>
<p>Clicks: <span id=n>0</span></p><script>window.clicks = 0</script>"""
SCRIPT = b"""(() => {
  let words = 0;
  for (const p of document.querySelectorAll('p')) words += p.textContent.split(/\\s+/).length;
  const line = document.createElement('div');
  line.id = 'made';
  line.textContent = 'MADE-BY-SCRIPT words ' + words;
  document.body.append(line);
})();"""
STYLE = b"body{font:16px/1.5 sans-serif;max-width:60em;margin:auto}" + b"".join(
    b".c%d{margin-left:%dpx}" % (i, i) for i in range(80)
)


def picture(seed: int, side: int) -> bytes:
    rng = random.Random(seed)
    rows = b"".join(b"\0" + rng.randbytes(side * 3) for _ in range(side))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def targets(number: int, pages: int) -> list[int]:
    """Return where page `number` links to: its children in a tree, then random pages."""
    first = number * FANOUT + 1
    found = [n for n in range(first, first + FANOUT) if n < pages]
    rng = random.Random(number)
    while len(found) < min(FANOUT, pages):
        other = rng.randrange(pages)
        if other not in found:
            found.append(other)
    return found


def page(number: int, pages: int, size: int) -> bytes:
    rng = random.Random(number)

    def prose(words: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."

    links = "".join(f'<a href="/p/{n}">Page {n}</a> ' for n in targets(number, pages))
    parts = [
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {number}</title>"
        '<link rel=stylesheet href="/style.css"></head><body>'
        f'<header><img src="/logo.png" alt=logo width=32 height=32><h1>Page {number}</h1></header>'
        f'<nav>{links}</nav><main><img src="/picture/{number}.png" alt="" width=16 height=16>'
    ]
    length = len(parts[0])
    while length < size:
        rows = "".join(f"<tr><td>{rng.choice(WORDS)}<td>{rng.randrange(10**6)}" for _ in range(5))
        items = "".join(f"<li>{prose(8)}</li>" for _ in range(4))
        parts.append(
            f"<section class=c{len(parts)}><h2>Section {len(parts)}</h2><p>{prose(60)} "
            f"<b>{prose(3)}</b></p><ul>{items}</ul><table>{rows}</table>"
            f"<pre><code>def f(x):\n    return x + {len(parts)}\n</code></pre></section>"
        )
        length += len(parts[-1])
    parts.append('</main><footer>end</footer><script src="/made.js" defer></script></body></html>')
    return "".join(parts).encode()


def answer(body: bytes, kind: str, *, cached: bool = False, status: str = "200 OK") -> bytes:
    cache = "Cache-Control: public, max-age=3600\r\n" if cached else ""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{cache}\r\n"
    )
    return head.encode() + body


def plain(title: str, body: str) -> bytes:
    head = f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>"
    return f"{head}<link rel=icon href=data:,></head><body><h1>{title}</h1>{body}</body>".encode()


def acted_on() -> dict[str, bytes]:
    """Return the pages of `bench.pages`: one to click in, one to fill in, one large table."""
    fields = "".join(f"<label>{n} <input name=n></label>" for n in ("First name", "City", "Mail"))
    rows = "".join(
        f"<tr><td>{n}</td><td>Item {n:05d}</td><td>{n * 37 % 997}.{n % 100:02d} EUR</td>"
        f"<td><a href='/item/{n}'>open</a></td></tr>"
        for n in range(ROWS)
    )
    head = "<tr><th>Number</th><th>Name</th><th>Price</th><th>Link</th></tr>"
    return {
        "/simple": plain("Simple page", CLICKED),
        "/form": plain("Form page", f"<form>{fields}<button>Send</button></form>"),
        "/table": plain(
            "Large table", f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        ),
    }


def hostile() -> dict[str, bytes]:
    """Return the pages of `bench.turns`: each asks for a lot of one kind."""
    many, log = 20_000, "for (let n = 0; n < 20000; n++) console.log('line', n, {n, at: [n]})"
    bodies = {
        "links": "<a href='/docs/getting-started/installation-guide#linux'>Linux</a>" * many,
        "deep": "<div>" * 500 + "deep" + "</div>" * 500,
        "text": f"<p>{'word ' * 1_000_000}</p>",
        "nodes": "<script>document.body.innerHTML = '<b>x</b>'.repeat(100000)</script>",
        "comments": "<p>x</p>" + "<!--" * 200_000,
        "secrets": f"<p>{'password=' * 100_000} {'eyJ.' * 50_000}</p>",
        "name": f"<button aria-label='{'a b ' * 200_000}' style='{';' * 200_000}'>x</button>",
        "console": f"<script>{log}</script>",
        "requests": "<script>for (let n = 0; n < 2000; n++) fetch('/no/' + n + '?a=%25')</script>",
        "restless": "<p id=p>0</p><script>setInterval(() => p.textContent += ' 1'.repeat(999), 1)"
        "</script>",
    }
    return {f"/hostile/{name}": plain(name, body) for name, body in bodies.items()}


def answers(pages: int, size: int) -> dict[str, bytes]:
    made = {
        "/style.css": answer(STYLE, "text/css", cached=True),
        "/made.js": answer(SCRIPT, "text/javascript", cached=True),
        "/logo.png": answer(picture(1, 32), "image/png", cached=True),
    }
    for n in range(pages):
        made[f"/p/{n}"] = answer(page(n, pages, size), "text/html; charset=utf-8")
        made[f"/picture/{n}.png"] = answer(picture(n, 16), "image/png", cached=True)
    for path, body in {**acted_on(), **hostile()}.items():
        made[path] = answer(body, "text/html; charset=utf-8")
    made["/"] = made["/p/0"]
    return made


def short_page(number: int, pages: int) -> bytes:
    """Return a page whose words are its own, which takes the server little to build."""
    rng = random.Random(number)
    words = rng.choices(WORDS, k=150) + [f"word{one}" for one in rng.choices(range(100_000), k=50)]
    links = "".join(
        f'<li><a href="/p/{n}">Page {n}</a>'
        for n in range(number * FANOUT + 1, min(number * FANOUT + FANOUT + 1, pages))
    )
    body = f"<p>{' '.join(words[:100])}<p>{' '.join(words[100:])}<ul>{links}</ul>"
    return answer(plain(f"Page {number}", body), "text/html; charset=utf-8")


def find_short(path: str, pages: int) -> bytes | None:
    number = path.removeprefix("/p/")
    wanted = number.isdecimal() and int(number) < pages
    return short_page(int(number), pages) if wanted else None


def find_file(path: str, folder: Path) -> bytes | None:
    file = folder / path.lstrip("/")
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return answer(file.read_bytes(), kind) if file.is_file() else None


class Serving(asyncio.Protocol):
    """Answers each request in its turn; `find`: the answer to a path, if it is one of the site."""

    missing = answer(b"not here", "text/plain", status="404 Not Found")

    def __init__(self, find: Callable[[str], bytes | None], delay_s: float) -> None:
        self.find = find
        self.delay_s = delay_s
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1].decode()
            found = self.find(path) or self.missing
            if self.delay_s:
                asyncio.get_running_loop().call_later(self.delay_s, self.transport.write, found)
            else:
                self.transport.write(found)


async def serve(given: argparse.Namespace) -> None:
    find: Callable[[str], bytes | None]
    if given.folder:
        find = partial(find_file, folder=given.folder)
    elif given.short:
        find = partial(find_short, pages=given.pages)
    else:
        find = answers(given.pages, given.size).get
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Serving(find, given.delay_ms / 1000), "127.0.0.1", 0, backlog=512
    )
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--delay-ms", type=int, default=0)
    asyncio.run(serve(parser.parse_args()))
