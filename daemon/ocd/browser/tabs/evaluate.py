"""Running JavaScript in a frame; its values and errors in Python."""

import asyncio
import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.injected import script
from ocd.browser.tabs.frames import Frame

WORLD = "openchrome"
# Emitted by a session whose Runtime domain was disabled for a moment.
ENABLED_AGAIN = "openchrome.enabledAgain"

# CDP's messages about a document that was replaced before or while a script ran.
_NOT_BEGUN = ("Cannot find default execution context", "Cannot find context with specified id")
_LEFT = (
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Promise was collected",
)
_UNSERIALISABLE = (
    "Object reference chain is too long",
    "Object couldn't be returned by value",
)

# V8's description of its built-in function, which no function of a page can imitate.
_OWN_STRINGIFY = "function stringify() { [native code] }"
# A lone surrogate in JSON text, which JSON.stringify writes as an escape.
_HALF = re.compile(r"(\\\\)|\\u[dD][89abAB][0-9a-fA-F]{2}|\\u[dD][c-fC-F][0-9a-fA-F]{2}")
# Keys that would set an object's prototype if they were written into a literal.
_PROTO_KEY = re.compile(r'(?<=[{,])"__proto__":')
# Read at import, because the loop must not wait for a disk.
_TO_JSON = script("tabs/to_json")
_GROUP = "openchrome"
_PLACE = re.compile(r"\n    at .*?<anonymous>:(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class RawJson:
    """A script's object or array as the page wrote it: its JSON, undecoded."""

    text: str
    kind: str


def source_of(expression: str, args: Sequence[object] | None) -> str:
    """Return the expression to run: `expression` itself, or a call of the function that it is.

    The arguments are inserted as literals, so nothing that the page may have replaced reads them.
    """
    if args is None:
        return expression
    literals = ", ".join(_literal(arg) for arg in args)
    return f"({expression}\n)({literals})"


def _literal(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return _PROTO_KEY.sub('["__proto__"]:', text)


async def evaluate(
    frame: Frame,
    source: str,
    *,
    await_promise: bool = True,
    context: int | None = None,
    repl: bool = False,
) -> Any:  # noqa: ANN401 - any JSON value
    """Run `source` in the frame's target and return its JSON value.

    Args:
        frame: the frame.
        source: JavaScript.
        await_promise: wait for a promise.
        context: the execution context's id; None for the target's top frame.
        repl: use a console's rules (top-level await; `return` works, too); values that JSON cannot
            represent are returned as text, objects and arrays as `RawJson`.

    Raises:
        OcdError: script_error.
    """
    params: dict[str, Any] = {"expression": source, "awaitPromise": await_promise}
    if context is not None:
        params["contextId"] = context
    if repl:
        # As in a console, the script counts as a user gesture, so that it can open pop-ups.
        params |= {"replMode": True, "objectGroup": _GROUP, "userGesture": True}
    else:
        params["returnByValue"] = True
    try:
        reply = await _await_promise(frame, await _run_script(frame, params, ours=repl))
        if repl and _has_illegal_return(reply):
            params["expression"] = f"(async () => {{{source}\n}})()"
            reply = await _await_promise(frame, await _run_script(frame, params, ours=True))
        value = value_of(await _in_words(frame, reply, context) if repl else reply)
        if repl and reply["result"]["type"] == "object" and "objectId" in reply["result"]:
            return _read(await _as_json(frame, reply["result"]["objectId"], context))
    except OcdError as error:
        raise script_error(error) from None
    return value


async def _run_script(frame: Frame, params: dict[str, Any], *, ours: bool) -> dict[str, Any]:
    """Run the script; if it is the caller's and the caller gives up, terminate it in the page.

    Otherwise a loop would run forever, and the tab would not answer any more.
    """
    try:
        reply: dict[str, Any] = await frame.cdp.send("Runtime.evaluate", params)
    except asyncio.CancelledError:
        if ours:
            frame.cdp.send_nowait("Runtime.terminateExecution", {})
            # It terminates the running script or the next one: if nothing runs, that is this one.
            frame.cdp.send_nowait("Runtime.evaluate", {"expression": "0"})
        raise
    return reply


async def _await_promise(frame: Frame, reply: dict[str, Any]) -> dict[str, Any]:
    """Return the reply for a promise's value: the REPL mode only awaits at the top level."""
    if reply["result"].get("subtype") != "promise" or "objectId" not in reply["result"]:
        return reply
    promise = {"promiseObjectId": reply["result"]["objectId"]}
    settled: dict[str, Any] = await frame.cdp.send("Runtime.awaitPromise", promise)
    return settled


def _has_illegal_return(reply: dict[str, Any]) -> bool:
    """Whether the script was refused, before it ran, for a `return` outside a function."""
    thrown = reply.get("exceptionDetails", {}).get("exception", {})
    # An error that `eval` throws at run time has a stack below its message.
    return bool(thrown.get("description") == "SyntaxError: Illegal return statement")


async def _in_words(frame: Frame, reply: dict[str, Any], context: int | None) -> dict[str, Any]:
    """Return the reply; a plain object that was thrown is described by its JSON."""
    thrown = reply.get("exceptionDetails", {}).get("exception", {})
    if thrown.get("className") in ("Object", "Array") and "objectId" in thrown:
        with contextlib.suppress(OcdError):  # the name of its class must do then
            thrown["description"] = (await _as_json(frame, thrown["objectId"], context)) or "null"
    return reply


async def _as_json(frame: Frame, object_id: str, context: int | None) -> str | None:
    """Return the object's JSON, or None if it has none."""
    call = {
        "functionDeclaration": _TO_JSON, "objectId": object_id, "returnByValue": True,
        "arguments": [await _own_stringify(frame, context)],
    }  # fmt: skip
    try:
        reply = await frame.cdp.send("Runtime.callFunctionOn", call)
    finally:
        frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    if "exceptionDetails" in reply:
        reason = _script_error(reply["exceptionDetails"]).message.partition("\n")[0]
        raise OcdError(
            "script_error",
            f"The script's value cannot be converted to JSON: {reason}",
            hint="Return plain objects, arrays, strings or numbers.",
        )
    text: str | None = value_of(reply)
    return None if text is None else _complete(text)


async def _own_stringify(frame: Frame, context: int | None) -> dict[str, Any]:
    """Return the context's JSON.stringify as an argument; null if the page has replaced it."""
    params: dict[str, Any] = {"expression": "JSON.stringify", "objectGroup": _GROUP}
    if context is not None:
        params["contextId"] = context
    reply = await frame.cdp.send("Runtime.evaluate", params)
    native = reply["result"]
    if "exceptionDetails" in reply or native.get("description") != _OWN_STRINGIFY:
        return {"value": None}
    return {"objectId": native["objectId"]}


def _complete(text: str) -> str:
    """Return JSON with U+FFFD for lone surrogates, which JSON for other programs must not have."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _HALF.sub(lambda match: match[1] or "\ufffd", text)


def _read(text: str | None) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of JSON text; objects and lists as `RawJson`, because they may be long."""
    if text is None:
        return None
    kind = {"{": "object", "[": "array"}.get(text[0])
    return RawJson(text, kind) if kind else msgspec.json.decode(text)


def value_of(reply: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of an evaluation's reply; script_error if the script has thrown.

    undefined is None; NaN, the infinities and big integers are strings; -0 is 0.
    """
    if "exceptionDetails" in reply:
        raise _script_error(reply["exceptionDetails"])
    result = reply["result"]
    if "unserializableValue" in result:
        word = str(result["unserializableValue"])
        return 0 if word == "-0" else word.removesuffix("n") if word[-1:] == "n" else word
    if result["type"] in ("symbol", "function"):
        return result.get("description")
    value = result.get("value")
    return None if isinstance(value, float) and math.isnan(value) else value


def _script_error(details: dict[str, Any]) -> OcdError:
    thrown = details.get("exception", {})
    # A thrown Error is described with its stack; anything else is its own message.
    message_text = thrown.get("description") or _exception_text(thrown) or details.get("text", "")
    message = str(message_text).split("\n    at ")[0]
    # The stack is the best source for where it was thrown; syntax errors have none.
    place = _PLACE.search(str(message_text))
    line = int(place[1]) if place else details.get("lineNumber", 0) + 1
    column = int(place[2]) if place else details.get("columnNumber", 0) + 1
    return OcdError("script_error", message or details.get("text", ""), line=line, column=column)


def _exception_text(thrown: dict[str, Any]) -> str:
    if "value" not in thrown:
        return str(thrown.get("type", ""))
    value = thrown["value"]
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def script_error(error: OcdError) -> OcdError:
    """Return the caller's error for a failed evaluation; other errors are returned unchanged."""
    if error.code != "cdp_error":
        return error
    not_begun = any(words in error.message for words in _NOT_BEGUN)
    if not_begun or any(words in error.message for words in _LEFT):
        return page_left(begun=not not_begun)
    if any(words in error.message for words in _UNSERIALISABLE):
        return OcdError(
            "script_error",
            "The script's value cannot be converted to JSON: it refers to itself or to a window.",
            hint="Return plain objects, arrays, strings or numbers.",
        )
    return error


def page_left(*, begun: bool) -> OcdError:
    """Return the error of a script whose document was replaced; begun: it may have run."""
    return OcdError(
        "script_error",
        "The page navigated away before the script finished.",
        hint=f"Wait for the page, then run the script again: {tool_call('wait_for', type='load')}",
        navigated=True,
        begun=begun,
    )


async def isolated_context(frame: Frame) -> int:
    """Return the context of the frame's isolated world, created once for each document."""
    if frame.world is None:
        params = {"frameId": frame.frame_id, "worldName": WORLD, "grantUniveralAccess": False}
        loader_id = frame.loader_id
        reply = await frame.cdp.send("Page.createIsolatedWorld", params)
        if frame.loader_id != loader_id:
            return int(reply["executionContextId"])
        frame.world, frame.engine_parts = int(reply["executionContextId"]), 0
    return frame.world


async def evaluate_isolated(frame: Frame, source: str, **options: bool) -> Any:  # noqa: ANN401
    """Run `source` in the frame's isolated world, again if its document was just replaced."""
    try:
        return await evaluate(frame, source, context=await isolated_context(frame), **options)
    except OcdError as error:
        # The context belonged to an old document: the script has not run.
        if error.details.get("begun") is not False:
            raise
        frame.world = None
    return await evaluate(frame, source, context=await isolated_context(frame), **options)


async def main_context(frame: Frame) -> int:
    """Return the context in which the page's own scripts of a same-process frame run.

    CDP only names it in events, which are sent again when its Runtime domain is enabled.
    Raises script_error if the frame has none.
    """
    created: list[int] = []

    def listen(event: dict[str, Any]) -> None:
        context = event["context"]
        about = context.get("auxData", {})
        if about.get("frameId") == frame.frame_id and about.get("isDefault"):
            created.append(int(context["id"]))

    frame.cdp.on("Runtime.executionContextCreated", listen)
    try:
        # Earlier console messages are reported once more, too.
        with frame.cdp.suppress_taps("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            await frame.cdp.send("Runtime.disable")
            await frame.cdp.send("Runtime.enable")
            # The bindings in its contexts are gone.
            frame.cdp.emit(ENABLED_AGAIN)
    finally:
        frame.cdp.off("Runtime.executionContextCreated", listen)
    if not created:
        raise OcdError("script_error", "The frame has no document in which a script could run.")
    return created[-1]
