"""A span for each call, sent to an OpenTelemetry collector where one is configured.

A span has verb, call id, session, client and error code, but no parameters or results. Its parent
is the calling agent host's span, if it passes one (W3C Trace Context in `_meta`).
"""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest
from ocd.safety import secrets

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

PIP = 'pip install "openchrome[telemetry]"'
# How long a collector may take: the daemon's end waits for it.
_EXPORT_S = 2


class CallSpans:
    """Makes the spans; without a collector's address it makes none, and imports nothing."""

    def __init__(self, endpoint: str | None, version: str) -> None:
        """Raise config_invalid if there is an address, and the extra is not installed."""
        self._provider = _provider(endpoint, version) if endpoint else None

    def span(self, request: CallRequest, call_id: str) -> AbstractContextManager[object]:
        """Return the span in which the call runs."""
        if self._provider is None:
            return nullcontext()
        return _in_span(self._provider, request, call_id)

    async def close(self) -> None:
        """Send what has not been sent."""
        if self._provider is not None:
            await asyncio.to_thread(self._provider.shutdown)


def _provider(endpoint: str, version: str) -> "TracerProvider":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        message = "otlp_endpoint: spans need the extra `telemetry`"
        raise OcdError("config_invalid", message, hint=f"Install it: {PIP}") from None
    resource = {"service.name": "openchrome", "service.version": version}
    provider = TracerProvider(resource=Resource.create(resource), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=_EXPORT_S)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


@contextmanager
def _in_span(provider: "TracerProvider", request: CallRequest, call_id: str) -> Iterator[None]:
    from opentelemetry.trace import SpanKind, StatusCode

    mask = secrets.current().mask
    attributes = {
        "openchrome.call_id": call_id,
        "openchrome.session": mask(request.session),
        "openchrome.client": mask(request.client.kind),
    }
    with provider.get_tracer("openchrome").start_as_current_span(
        mask(request.verb), kind=SpanKind.SERVER, attributes=attributes,
        record_exception=False, set_status_on_exception=False,
    ) as span:  # fmt: skip
        try:
            yield
        except OcdError as error:
            span.set_attribute("error.type", error.code)
            span.set_status(StatusCode.ERROR, error.code)
            raise
