"""The process that extracts large pages: jobs on stdin, results on stdout, each with its length.

Conversion holds the interpreter's lock for as long as it takes; in the daemon's own process every
call would wait for it. Run as `python -m ocd.crawl.worker`; ends with its stdin.
"""

import sys
from typing import BinaryIO

import msgspec

from ocd.crawl.extract import Job, extract

LENGTH_BYTES = 4


def frame(message: bytes) -> bytes:
    """Return the message with its length in front."""
    return len(message).to_bytes(LENGTH_BYTES, "big") + message


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer jobs until `source` ends."""
    decoder, encoder = msgspec.msgpack.Decoder(Job), msgspec.msgpack.Encoder()
    while header := source.read(LENGTH_BYTES):
        job = decoder.decode(source.read(int.from_bytes(header, "big")))
        sink.write(frame(encoder.encode(extract(job))))
        sink.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
