"""A process that converts documents: length-prefixed calls on stdin, results on stdout.

Conversion holds the interpreter's lock while it runs; in the daemon's own process every call would
wait for it. Run as `python -m ocd.conversion.process PARENT CPU_S MEMORY FAULT`. It ends with its
stdin. The kernel ends it with its parent, when one call takes more than CPU_S seconds of CPU time,
or when memory runs out; none of that depends on the interpreter.
"""

import os
import signal
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, get_type_hints

import msgspec

from ocd.storage import crash_points
from ocd.storage.machine_limits import is_out_of_memory, mark_expendable

LENGTH_BYTES = 4
_PR_SET_PDEATHSIG = 1
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGE_BLOCK_BYTES = 128 * 1024
# A trim takes half a millisecond, a two-hundredth of what so much HTML does.
_TRIMMED_EACH_BYTES = 512 * 1024
encode = msgspec.msgpack.Encoder().encode


class FunctionCall(msgspec.Struct, array_like=True):
    """A call: `function` is `module:name`; `argument` is its only argument, encoded."""

    function: str
    argument: msgspec.Raw


class Outcome(msgspec.Struct, array_like=True):
    """The encoded result, or the name of the exception, for example for lack of memory."""

    result: msgspec.Raw = msgspec.Raw(b"\xc0")  # nil
    failed: str = ""


class Codec(NamedTuple):
    """How a function's argument and result are decoded."""

    argument: Callable[[bytes | msgspec.Raw], Any]
    result: Callable[[bytes | msgspec.Raw], Any]


@cache
def codec(function: Callable[[Any], Any]) -> Codec:
    """Return the decoders of a function of one argument, by its annotations."""
    *argument, result = get_type_hints(function).values()
    return Codec(msgspec.msgpack.Decoder(*argument).decode, msgspec.msgpack.Decoder(result).decode)


def frame(message: bytes) -> bytes:
    """Return the message with its length in front."""
    return len(message).to_bytes(LENGTH_BYTES, "big") + message


def serve(
    source: BinaryIO, sink: BinaryIO, cpu_s: float = 0.0, trim: Callable[[int], int] | None = None
) -> None:
    """Answer calls until `source` ends; a call may compute for `cpu_s` seconds, 0: any time.

    trim: has the C library give back what is free within its heap.
    """
    decoder = msgspec.msgpack.Decoder(FunctionCall)
    untrimmed = 0
    while header := source.read(LENGTH_BYTES):
        size = int.from_bytes(header, "big")
        call = decoder.decode(source.read(size))
        _bound_cpu(cpu_s)
        sink.write(frame(encode(_outcome(call))))
        sink.flush()
        _bound_cpu(0.0)
        untrimmed += size
        if trim is not None and untrimmed > _TRIMMED_EACH_BYTES:
            trim(0)
            untrimmed = 0


def _outcome(call: FunctionCall) -> Outcome:
    try:
        function = _function(call.function)
        result = function(codec(function).argument(call.argument))
        return Outcome(msgspec.Raw(encode(result)))
    except RecursionError as error:
        return Outcome(failed=type(error).__name__)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return Outcome(failed=MemoryError.__name__)


@cache
def _function(name: str) -> Callable[[Any], Any]:
    module, _, inside = name.partition(":")
    found: Callable[[Any], Any] = getattr(import_module(module), inside)
    return found


def _bound_cpu(seconds: float) -> None:
    """End the process, by SIGPROF's default action, after that much CPU time; 0: never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def bound_memory(limit: int) -> None:
    """Refuse this process more memory than `limit` bytes, and core files."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def return_freed_memory() -> Callable[[int], int] | None:
    """Make glibc return large blocks to the system: by default it keeps them once it has freed one.

    Returns malloc_trim(3), which returns the small ones as well; None where there is none.
    """
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    library = ctypes.CDLL(None)
    mallopt = getattr(library, "mallopt", None)  # other C libraries have none
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _LARGE_BLOCK_BYTES)
    return getattr(library, "malloc_trim", None)


def end_with(parent: int) -> None:
    """Have the kernel end this process when its parent dies; on Linux, elsewhere stdin tells."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        sys.exit()  # it died before we asked


def main(parent: str, cpu_s: str, memory: str, fault: str) -> None:
    """Serve the parent on stdin and stdout within these bounds."""
    end_with(int(parent))
    bound_memory(int(memory))
    # Estimates are for the worst of documents, and would refuse many that fit within the bound.
    mark_expendable()
    trim = return_freed_memory()
    crash_points.arm(fault)
    serve(sys.stdin.buffer, sys.stdout.buffer, float(cpu_s), trim)


if __name__ == "__main__":
    main(*sys.argv[1:])
