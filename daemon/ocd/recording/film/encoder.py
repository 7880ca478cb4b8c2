"""A process that encodes one video: pictures on stdin, and a WebM file that grows with them.

Run as `python -m ocd.recording.film.encoder FILE`. Drawing and encoding hold the interpreter's lock
and a core for as long as they take: in the daemon's own process every call would wait. Signals that
stop a daemon do not end it, the end of stdin does: so the video of a killed daemon is complete.
Encoded frames are on the disk within a cluster (half a second), so the video plays up to that point
if this process is killed, too.
"""

import os
import signal
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocd.recording.film.drawing import Canvas
from ocd.recording.film.picture import FULL, Picture, read_pictures

if TYPE_CHECKING:
    from av import VideoFrame

# The most bytes of a film for each of its seconds, and at once: 60 s are less than 5 MB.
BYTES_PER_S = 70_000
BURST_BYTES = 500_000
MAX_BYTES = 64 << 20
_NICER = 5
_MS = Fraction(1, 1000)
_CLUSTER = {"cluster_time_limit": "500", "flush_packets": "1"}
_CODEC = {
    "deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "tune-content": "screen",
    "threads": "1", "g": "300", "maxrate": "500000", "minrate": "500000", "bufsize": "500000",
}  # fmt: skip
_BITS_PER_S = 500_000


class FilmFile:
    """A video that is being written."""

    def __init__(self, path: Path, first: Picture) -> None:
        import av

        self._av = av
        self._canvas = Canvas(first)
        self._container = av.open(str(path), "w", format="webm", options=_CLUSTER)
        stream: Any = self._container.add_stream("libvpx-vp9", rate=1000, options=_CODEC)
        stream.width, stream.height = self._canvas.size
        stream.pix_fmt, stream.bit_rate, stream.time_base = "yuv420p", _BITS_PER_S, _MS
        self._stream = stream
        self._bytes = 0
        # The newest picture, if it is not in the film yet because there was no room for it.
        self._left_out: VideoFrame | None = None

    @property
    def full(self) -> bool:
        """Whether it has reached its size limit."""
        return self._bytes >= MAX_BYTES

    def add(self, picture: Picture) -> None:
        """Show a picture from its time on, or leave it out while the file is over its bit rate."""
        image = self._canvas.draw(picture)
        drawn: VideoFrame = self._av.VideoFrame.from_image(image)  # type: ignore[no-untyped-call]
        frame = drawn.reformat(format="yuv420p")
        frame.pts, frame.time_base = picture.at_ms, _MS
        if self._bytes > BURST_BYTES + BYTES_PER_S * picture.at_ms / 1000:
            self._left_out = frame
        else:
            self._left_out = None
            self._encode(frame)

    def _encode(self, frame: "VideoFrame | None") -> None:
        for packet in self._stream.encode(frame):
            self._bytes += packet.size
            self._container.mux(packet)

    def close(self) -> None:
        """End the film with its last picture."""
        if self._left_out is not None:
            self._encode(self._left_out)
        self._encode(None)
        self._container.close()


def main(path: str) -> int:
    """Encode the pictures on stdin until it ends; return the status to end with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(_NICER)
    film: FilmFile | None = None
    for picture in read_pictures(sys.stdin.buffer):
        film = film or FilmFile(Path(path), picture)
        film.add(picture)
        if film.full:
            break
    if film is not None:
        film.close()
    return FULL if film is not None and film.full else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        sys.exit(f"The video cannot be written: {error}")
