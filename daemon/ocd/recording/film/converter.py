"""A process that converts a video: `python -m ocd.recording.film.converter …`.

Its arguments: webm or gif, source, target. webm: the same pictures, with the index and the length
that players seek by; what a killed daemon has left has neither. gif: smaller, fewer pictures, 256
colours, five minutes at most.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from av import VideoFrame

_GIF_SCALE = "'min(800,iw)':-2"
_GIF_PAUSE_S = 0.25
_MAX_GIF_S = 300.0
# A GIF's times are hundredths of a second.
_HUNDREDTH = Fraction(1, 100)


def to_webm(source: str, target: str) -> None:
    """Copy the pictures into a file with an index."""
    import av

    with av.open(source) as film, av.open(target, "w", format="webm") as copy:
        stream = copy.add_stream_from_template(film.streams.video[0])
        for packet in film.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)


def to_gif(source: str, target: str) -> None:
    """Draw the pictures in the 256 colours that suit all of them best; they are read twice."""
    import av

    palette = _palette(source)
    with av.open(target, "w", format="gif") as gif:
        stream: Any = None
        for frame in _palette_frames(source, palette):
            if stream is None:
                stream = gif.add_stream("gif", rate=100)
                stream.width, stream.height = frame.width, frame.height
                stream.pix_fmt = frame.format.name
            frame.pts = int((frame.time or 0.0) * 100)
            frame.time_base = _HUNDREDTH
            gif.mux(stream.encode(frame))
        gif.mux(stream.encode(None))


def _frames(source: str) -> "Iterator[VideoFrame]":
    """Return a film's pictures at a rate that keeps a GIF small, the last one included."""
    import av

    left_out = None
    next_at = 0.0
    with av.open(source) as film:
        for frame in film.decode(video=0):
            at = frame.time or 0.0
            if at > _MAX_GIF_S:
                break
            left_out = frame
            if at >= next_at:
                yield frame
                left_out, next_at = None, at + _GIF_PAUSE_S
        if left_out is not None:
            yield left_out


def _palette(source: str) -> "VideoFrame":
    import av
    from av.filter import Graph

    graph = Graph()
    with av.open(source) as film:
        graph.link_nodes(
            graph.add_buffer(template=film.streams.video[0]), graph.add("scale", _GIF_SCALE),
            graph.add("palettegen", "stats_mode=diff"), graph.add("buffersink"),
        ).configure()  # fmt: skip
    for frame in _frames(source):
        graph.vpush(frame)
    graph.vpush(None)
    return graph.vpull()


def _palette_frames(source: str, palette: "VideoFrame") -> "Iterator[VideoFrame]":
    import av
    from av.filter import Graph

    graph = Graph()
    with av.open(source) as film:
        stream = film.streams.video[0]
        pictures = graph.add_buffer(template=stream)
        colours = graph.add_buffer(
            width=palette.width, height=palette.height, format=palette.format,
            time_base=stream.time_base,
        )  # fmt: skip
    scaled, used = graph.add("scale", _GIF_SCALE), graph.add("paletteuse", "dither=none")
    sink = graph.add("buffersink")
    pictures.link_to(scaled)
    scaled.link_to(used, 0, 0)
    colours.link_to(used, 0, 1)
    used.link_to(sink)
    graph.configure()
    colours.push(palette)
    colours.push(None)
    for frame in chain(_frames(source), (None,)):
        pictures.push(frame)
        yield from _available_frames(sink)


def _available_frames(sink: Any) -> "Iterator[VideoFrame]":  # noqa: ANN401 - PyAV names no type of it
    from av.error import BlockingIOError as NotYet
    from av.error import EOFError as Ended

    try:
        while True:
            yield sink.pull()
    except (NotYet, Ended):
        return


def main(form: str, source: str, target: str) -> None:
    """Write the file."""
    {"webm": to_webm, "gif": to_gif}[form](source, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
