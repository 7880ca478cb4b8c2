"""Monitoring: figures at /metrics, and a span of each call if a collector is configured."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from prometheus_client.parser import text_string_to_metric_families

from support.daemon import Daemon
from support.mcp import JSON, Http
from support.site import Site

Figures = dict[str, float]


def figures(text: str) -> Figures:
    """Return the samples by name and labels, as a line of the text has them."""
    return {
        sample.name + "".join(f" {key}={value}" for key, value in sorted(sample.labels.items())):
            sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }  # fmt: skip


def scrape(daemon: Daemon) -> Figures:
    reply = daemon.request("GET", "/metrics")
    assert reply.status == 200
    return figures(reply.raw.decode())


def test_the_figures_count_what_was_done(daemon: Daemon, site: Site) -> None:
    """Calls by verb and outcome, errors by code, durations, tasks, pages, browser, memory."""
    before = scrape(daemon)
    daemon.do("crawl", url=site.url("many-pages/1.html"), max_pages=3, engine="static")
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.call("read_page", tab_id="t0").code == "tab_not_found"
    for name in ('mad"e\nup', "x" * 300):
        assert daemon.call(name).code == "unknown_verb"
    after = scrape(daemon)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0)

    calls = "openchrome_calls_total outcome"
    assert grown(f"{calls}=ok verb=crawl") == 1
    assert grown(f"{calls}=ok verb=navigate") == 1
    assert grown(f"{calls}=error verb=read_page") == 1
    assert grown(f"{calls}=error verb=unknown") == 2
    assert grown("openchrome_call_errors_total code=tab_not_found") == 1
    assert grown("openchrome_call_errors_total code=unknown_verb") == 2
    duration = "openchrome_call_duration_seconds"
    assert grown(f"{duration}_bucket le=+Inf verb=navigate") == 1
    assert grown(f"{duration}_sum verb=navigate") > 0
    assert grown("openchrome_tasks_ended_total kind=crawl status=COMPLETED") == 1
    assert grown("openchrome_task_units_total kind=crawl") == 3
    assert after["openchrome_browser_up"] == 1
    assert after["openchrome_browser_starts_total"] >= 1
    assert after["openchrome_tabs"] >= 1
    assert after["openchrome_memory_bytes process=daemon"] > 10_000_000
    assert after["openchrome_memory_bytes process=browser"] > 10_000_000
    assert not any("mad" in name or "xxx" in name for name in after)


def test_metrics_over_http_require_the_token(serving: Daemon) -> None:
    """The same rules as for MCP there, and nothing for web pages."""
    http = Http(serving)
    token = (serving.home.path / "run" / "token").read_text().strip()
    bearer = {"authorization": f"Bearer {token}"}

    def get(headers: dict[str, str], method: str = "GET") -> int:
        return http.send(None, headers, method=method, path="/metrics").status

    answer = http.send(None, bearer, method="GET", path="/metrics")
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert "openchrome_uptime_seconds" in figures(answer.raw.decode())
    open_metrics = {**bearer, "accept": "application/openmetrics-text; version=1.0.0"}
    text = http.send(None, open_metrics, method="GET", path="/metrics").raw
    assert text.endswith(b"# EOF\n")
    assert get({"authorization": "Bearer x"}) == 401
    assert get({**bearer, "host": "evil.example"}) == 421
    assert get({**bearer, "origin": "http://evil.example"}) == 403
    assert get({**bearer, **JSON}, "POST") == 404


@contextmanager
def collecting() -> Iterator[tuple[str, list[Span]]]:
    """Be a collector: yield its address, and the spans that it was sent."""
    spans: list[Span] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        spans.extend(scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", spans
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_collector_gets_a_span_of_each_call(make_daemon: Callable[..., Daemon]) -> None:
    """With its error but not its parameters; a host's own trace continues in it."""
    with collecting() as (address, spans):
        daemon = make_daemon("--http", "0", config=f'otlp_endpoint = "{address}"')
        daemon.do("oc_task_list")
        assert daemon.call("oc_task_get", task_id="confidential").code == "task_not_found"
        trace = "0af7651916cd43dd8448eb211c80319c"
        meta = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
        Http(daemon).ask("tools/call", {"name": "oc_task_list", "arguments": {}, "_meta": meta})
        daemon.stop()
    named = [span for span in spans if span.name.startswith("oc_task")]
    listed, failed, traced = named
    assert [span.name for span in named] == ["oc_task_list", "oc_task_get", "oc_task_list"]
    assert listed.status.code == Status.STATUS_CODE_UNSET
    assert failed.status.code == Status.STATUS_CODE_ERROR
    assert {one.key: one.value.string_value for one in failed.attributes}["error.type"] == (
        "task_not_found"
    )
    assert traced.trace_id.hex() == trace
    assert "confidential" not in str(spans)
