"""Verbs about evidence: oc_assert, oc_evidence_bundle, oc_diff."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd import call_context
from ocd.contracts.expression import decode
from ocd.evidence import schema_diff
from ocd.evidence.service import BundleRequest, EvidenceService
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.origins import text_source
from ocd.verb_api.declaration import PAYLOAD, WHEN_STORED, Output, Params, daemon_verb, task_verb

PartName = Literal[
    "dom", "screenshot", "network", "console", "facts", "contract_facts", "phash", "gate",
    "schema_diff",
]  # fmt: skip
TabId = Annotated[str | None, Meta(description="Tab to check live; default: latest")]
MAX_WAIT_MS = 600_000


class Assert(Params):
    """Check a contract: what must be true of a page

    contract: {"kind": …} or {"and"|"or": […]} or {"not": …}. Kinds: url pattern|contains|equals;
    dom_text selector? contains|pattern|equals; dom_count selector op(eq,ne,lt,lte,gt,gte) value;
    network url_pattern status_in? method? since?(contract_enter, last_tool_call, ms); console
    level? pattern? max|min|none; performance metric op value; screenshot_class
    class_id|exemplar|hash distance_max; no_dialog. Missing evidence makes the verdict inconclusive,
    never pass.
    """

    contract: Annotated[
        dict[str, Any] | list[Any] | str, Meta(description="See above", extra=PAYLOAD)
    ]
    evidence: Annotated[
        dict[str, Any] | str | None,
        Meta(
            description="Snapshot {url, dom_text, dom_count, dom, network, console, performance, "
            "screenshot_png_base64, has_open_dialog}, or a bundle's id; default: the live page",
            extra=PAYLOAD,
        ),
    ] = None
    tab_id: TabId = None
    wait_ms: Annotated[
        int, Meta(ge=0, le=MAX_WAIT_MS, description="Live page: max wait for it to pass, in ms")
    ] = 0
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_WAIT_MS)] | None,
        Meta(description="As wait_ms, but a hanging page cannot extend it"),
    ] = None


class AssertionReport(TypedDict):
    """A condition that does not hold, or is unknown."""

    name: str
    kind: str
    expected: str
    actual: Any
    location: Annotated[str, Meta(description="Location in the contract")]
    reason: NotRequired[str]


class AssertResult(TypedDict):
    """The verdict, with its reasons."""

    verdict: Annotated[str, Meta(description="pass, fail or inconclusive")]
    failed_assertions: list[AssertionReport]
    failed_count: int
    inconclusive_assertions: list[AssertionReport]
    inconclusive_reason: str | None
    failure_category: str | None
    failure_reason: str | None
    evidence: Annotated[dict[str, Any], Meta(description="url, title, assertions and their count")]
    contract_digest: str
    evidence_digest: str
    provenance: Annotated[dict[str, Any], Meta(description="Where the evidence came from")]
    validation_errors: list[str]


@daemon_verb(
    "oc_assert", Assert, needs=EvidenceService,
    returns=AssertResult,
    capability="core", tier=3, reads=True,
    timeout_ms=MAX_WAIT_MS + 60_000,
    removed_params={
        "contract_id": "Pass the contract itself as 'contract': none is built in. "
        "`oc_skill_recall` shows the contracts of skills, `oc_skill_replay` checks them.",
    },
    page_keys=("failed_assertions", "inconclusive_assertions", "evidence", "failure_reason"),
    example={"contract": {"kind": "dom_text", "contains": "Thank you"}},
)  # fmt: skip
async def oc_assert(service: EvidenceService, params: Assert) -> Output:
    contract = decode(params.contract)
    if params.evidence is not None:
        return _report_to_dict(await service.check(contract, params.evidence))
    tab = service.sessions.get(call_context.current().session).tab(params.tab_id)
    wait_s = (params.wait_ms or params.timeout_ms or 0) / 1000
    strict = not params.wait_ms
    return _report_to_dict(await service.check_live(contract, tab, wait_s, strict=strict))


def _report_to_dict(report: dict[str, Any]) -> Output:
    url = report["evidence"].get("url") or ""
    return Output(data=report, origin=text_source(url))


class EvidenceBundle(Params):
    """Save evidence of a page: DOM, screenshot, requests, console, facts

    Of the live page, or of the given `evidence`. Stored under evidence/<bundle_id>; secrets are
    masked; the newest 500 are kept. oc_assert and oc_diff take the bundle_id. inconclusive_reason
    names what could not be captured.
    """

    include: Annotated[
        tuple[PartName, ...] | None,
        Meta(description="Parts; default: dom, screenshot, network, console, facts"),
    ] = None
    evidence: Annotated[
        dict[str, Any] | str | None,
        Meta(
            description="Snapshot as in oc_assert, plus observed, gate; default: live page",
            extra=PAYLOAD,
        ),
    ] = None
    target_schema: Annotated[
        dict[str, Any] | None,
        Meta(
            description="{fields: [{name, type, required?}]} to compare evidence.observed with",
            extra=PAYLOAD,
        ),
    ] = None
    class_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=10_240)] | None,
        Meta(description="Add the screenshot to this class"),
    ] = None
    network_window_ms: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Only requests of the last N ms")
    ] = None
    contents: Annotated[
        bool | None,
        Meta(
            description="Also return the parts' contents; default: for handles",
            extra=WHEN_STORED,
        ),
    ] = None
    tab_id: TabId = None
    capture_timeout_ms: Annotated[
        int,
        Meta(ge=100, le=MAX_WAIT_MS, description="Time limit of the capture, in ms"),
    ] = 30_000

    def __post_init__(self) -> None:
        # Here, so that a task that cannot run is refused before it exists.
        if self.target_schema is not None:
            schema_diff.decode(self.target_schema)


class BundleSummary(TypedDict):
    """The subject of a bundle."""

    bundle_id: str
    created_at: str
    source: str
    url: str | None
    title: str | None


class BundleFile(TypedDict):
    """One file of a bundle."""

    name: str
    file: str
    mime_type: str
    size_bytes: int


class EvidenceBundleResult(BundleSummary):
    """The bundle."""

    path: str
    size_bytes: int
    parts: list[str]
    files: list[BundleFile]
    screenshot_hash: str | None
    inconclusive_reason: Annotated[str | None, Meta(description="What could not be captured")]
    schema_diff: NotRequired[dict[str, Any]]
    screenshot_class: NotRequired[dict[str, Any]]
    contents: NotRequired[Annotated[dict[str, Any], Meta(description="The parts themselves")]]
    pruned: NotRequired[list[str]]


@task_verb(
    "oc_evidence_bundle", EvidenceBundle, needs=EvidenceService,
    returns=EvidenceBundleResult,
    capability="core", tier=3,
    large=True,
    page_keys=("title", "contents"),
    example={"include": ["dom", "screenshot", "console"]},
)  # fmt: skip
async def oc_evidence_bundle(
    service: EvidenceService, work: TaskHandle, params: EvidenceBundle
) -> Output:
    include = params.include and tuple(
        "facts" if part == "contract_facts" else part for part in params.include
    )
    request = BundleRequest(
        include=include,
        target_schema=params.target_schema,
        class_id=params.class_id,
        network_window_ms=params.network_window_ms,
        timeout_s=params.capture_timeout_ms / 1000,
        contents=bool(params.contents),
    )
    result = await service.bundle(params.evidence, request, work.session, params.tab_id)
    return Output(data=result, origin=text_source(result.get("url") or ""))


class Diff(Params):
    """Compare two evidence bundles

    Compares outline lines, DOM element counts, requests, console, facts, and the visual distance of
    the screenshots (0 to 64). Ignores refs.
    """

    a: Annotated[str, Meta(min_length=1, description="Bundle id, or the handle of its result")]
    b: Annotated[str, Meta(min_length=1, description="The other bundle")]
    offset: Annotated[int, Meta(ge=0, description="First difference to return")] = 0
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Max differences")] = 200


class DiffResult(TypedDict):
    """The differences."""

    a: BundleSummary
    b: BundleSummary
    same: bool
    summary: Annotated[dict[str, dict[str, int]], Meta(description="Differences by part and kind")]
    screenshot_distance: int | None
    performance: dict[str, Any]
    not_compared: list[Any]
    total: int
    next_offset: int | None
    next_step: NotRequired[dict[str, Any]]
    differences: Annotated[list[dict[str, Any]], Meta(description="part, change, before, after")]


@daemon_verb(
    "oc_diff", Diff, needs=EvidenceService,
    returns=DiffResult,
    capability="core", tier=3, large=True, reads=True,
    items=("differences",), page_keys=("differences", "title"),
    example={"a": "before", "b": "after"},
)  # fmt: skip
async def oc_diff(service: EvidenceService, params: Diff) -> Output:
    found = await service.compare(params.a, params.b)
    differences = found.pop("differences")
    page = differences[params.offset : params.offset + params.limit]
    end = params.offset + len(page)
    more = end < len(differences)
    data = {**found, "total": len(differences), "next_offset": end if more else None}
    if more:
        arguments = {"a": params.a, "b": params.b, "offset": end, "limit": params.limit}
        data["next_step"] = {"verb": "oc_diff", "arguments": arguments}
    return Output(data={**data, "differences": page}, origin=text_source(found["a"]["url"] or ""))
