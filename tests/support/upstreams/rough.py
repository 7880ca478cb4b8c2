"""An MCP server made by hand, which does what none should: `python rough.py [--tools N]`.

It speaks a handshake revision, one line at a time. What it sees it writes to the file that NOTES
names.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

NONE = {"type": "object", "properties": {}}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}
TOOLS: list[Any] = [
    {"name": "echo", "inputSchema": NONE},
    {"name": "busy", "inputSchema": NONE},
    {"name": "garble", "inputSchema": NONE},
    {"name": "hang", "inputSchema": NONE},
    {"name": "text", "inputSchema": NUMBER},
    {"name": "rows", "inputSchema": NUMBER},
    {"name": "shapeless", "inputSchema": {"properties": {}}},
    {"name": 7, "inputSchema": NONE},
    "no tool",
]


def note(what: str) -> None:
    with Path(os.environ["NOTES"]).open("a", encoding="utf-8") as file:
        file.write(f"{what}\n")


def say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def answer(request_id: object, **rest: object) -> None:
    message = {"jsonrpc": "2.0", "id": request_id, **rest}
    say(json.dumps(message, separators=(",", ":")).encode())


def called(request_id: int, tool: str, n: int) -> None:
    note(tool)
    match tool:
        case "busy":
            answer(request_id, error={"code": -32000, "message": "Connection closed for lunch"})
        case "garble":
            say(b'{"jsonrpc":"2.0","id":%d,"result":"\xff\xfe"}' % request_id)
        case "hang":
            return
        case "text":
            text = {"type": "text", "text": "many words " * (n // 11)}
            answer(request_id, result={"content": [text]})
        case "rows":
            rows = [{"number": i, "name": f"row {i}", "none": None} for i in range(n)]
            answer(request_id, result={"content": [], "structuredContent": {"rows": rows}})
        case _:
            answer(request_id, result={"content": [{"type": "text", "text": "hello"}]})


def main() -> None:
    note("started")
    more = int(sys.argv[2]) if sys.argv[1:2] == ["--tools"] else 0
    tools = [*TOOLS, *({"name": f"more_{i}", "inputSchema": NONE} for i in range(more))]
    for line in sys.stdin.buffer:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                version = message["params"]["protocolVersion"]
                told = {"protocolVersion": version, "capabilities": {"tools": {}}}
                who = {"name": "rough", "version": "1"}
                answer(message["id"], result={**told, "serverInfo": who})
            case "tools/list":
                answer(message["id"], result={"tools": tools})
            case "tools/call":
                given = message["params"]
                number = (given.get("arguments") or {}).get("n", 0)
                called(message["id"], given["name"], number)
            case _ if "id" in message:
                answer(message["id"], error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
