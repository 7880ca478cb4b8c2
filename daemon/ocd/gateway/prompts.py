"""Prompts of another MCP server: names, arguments, and their untrusted text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ocd.gateway.results import UriAlias, output_of
from ocd.gateway.tool_entries import exposed_name
from ocd.verb_api.declaration import Output

# The verb that gets one; no tool can have such a name.
GET = "prompts/get"
MAX_LISTED = 200
MAX_ARGUMENTS = 20
_PLAIN = re.compile(r"[\w.-]{1,64}")


class UpstreamPrompt(NamedTuple):
    """A prompt: its own name, the one it has with us, its arguments (name, required)."""

    prompt: str
    name: str
    arguments: tuple[tuple[str, bool], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the list entry: only names, no text that nobody has approved."""
        arguments = [{"name": name, "required": required} for name, required in self.arguments]
        return {"name": self.name, "arguments": arguments}


def prompts_of(server: str, prompts: Sequence[Mapping[str, Any]]) -> dict[str, UpstreamPrompt]:
    """Return a server's prompts by the names that they have with us.

    As with tools, prompts that share a name are left out; so are those that could not be requested.
    """
    named = [
        prompt
        for prompt in prompts[:MAX_LISTED]
        if isinstance(prompt.get("name"), str) and prompt["name"]
    ]
    names = Counter(exposed_name(server, prompt["name"]) for prompt in named)
    found: dict[str, UpstreamPrompt] = {}
    for prompt in named:
        name, arguments = exposed_name(server, prompt["name"]), _arguments(prompt.get("arguments"))
        if names[name] == 1 and arguments is not None:
            found[name] = UpstreamPrompt(prompt["name"], name, arguments)
    return found


def _arguments(raw: object) -> tuple[tuple[str, bool], ...] | None:
    """Return the arguments that callers can pass; None if a required one cannot be passed."""
    found: list[tuple[str, bool]] = []
    for argument in raw if isinstance(raw, list) else ():
        required = isinstance(argument, dict) and argument.get("required") is True
        name = argument.get("name") if isinstance(argument, dict) else None
        if isinstance(name, str) and _PLAIN.fullmatch(name) and len(found) < MAX_ARGUMENTS:
            found.append((name, required))
        elif required:
            return None
    return tuple(found)


def prompt_output(
    server: str, prompt: str, result: Mapping[str, Any], uri_alias: UriAlias, *, redacted: bool
) -> Output:
    """Return the output of prompts/get (a raw GetPromptResult).

    Its messages become one body, within the limits of a tool's result; roles are named unless all
    are the user's.
    """
    messages = [message for message in result.get("messages", ()) if isinstance(message, Mapping)]
    roles = {message.get("role") for message in messages}
    blocks: list[Mapping[str, Any]] = []
    for message in messages:
        content = message.get("content")
        if roles != {"user"} and message.get("role") in ("user", "assistant"):
            blocks.append({"type": "text", "text": f"{message['role']}:"})
        blocks += content if isinstance(content, list) else [content or {}]
    answered = {"resultType": result.get("resultType"), "content": blocks}
    return output_of(server, prompt, answered, uri_alias, redacted=redacted)
