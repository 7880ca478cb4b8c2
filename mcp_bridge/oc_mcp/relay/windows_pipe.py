"""A Windows named pipe, read and written at the same time.

A pipe opened without overlapped I/O serves one thread at a time: a waiting read would block every
write. Overlapped calls do not.
"""

import sys

if sys.platform == "win32":
    import _winapi

    _ENDED = (_winapi.ERROR_BROKEN_PIPE, _winapi.ERROR_OPERATION_ABORTED)
    _CHUNK = 1 << 16
    _BUSY_MS = 10_000

    class PipeConnection:
        """A connection to the daemon's pipe."""

        def __init__(self, address: str) -> None:
            _winapi.WaitNamedPipe(address, _BUSY_MS)
            self._handle = _winapi.CreateFile(
                address,
                _winapi.GENERIC_READ | _winapi.GENERIC_WRITE,
                0,
                _winapi.NULL,
                _winapi.OPEN_EXISTING,
                _winapi.FILE_FLAG_OVERLAPPED,
                _winapi.NULL,
            )

        def send(self, data: bytes) -> None:
            """Send all of the data."""
            rest = memoryview(data)
            while rest:
                written, _ = _winapi.WriteFile(self._handle, bytes(rest[:_CHUNK]), overlapped=True)
                count, _ = written.GetOverlappedResult(True)  # noqa: FBT003 - the call's own signature
                rest = rest[count:]

        def receive(self) -> bytes:
            """Return the next bytes, b"" at the end."""
            try:
                reading, _ = _winapi.ReadFile(self._handle, _CHUNK, overlapped=True)
                reading.GetOverlappedResult(True)  # noqa: FBT003 - as above
            except OSError as error:
                if error.winerror in _ENDED:
                    return b""
                raise
            return bytes(reading.getbuffer() or b"")

        def finish(self) -> None:
            """Say that nothing more will be sent: a pipe has no half-close, so this closes it."""
            self.close()

        def close(self) -> None:
            """Close the connection, for the reading and the writing thread."""
            _winapi.CloseHandle(self._handle)
