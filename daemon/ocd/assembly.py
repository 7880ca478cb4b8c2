"""The parts of the daemon, put together; the only place where they are connected."""

import asyncio
import logging
import os
import time
from collections import ChainMap
from collections.abc import Awaitable, Coroutine, Mapping
from importlib.metadata import version
from typing import Any

import msgspec
import psutil

from ocd import call_context
from ocd.api import paths
from ocd.api.timestamps import rfc3339
from ocd.api.wire import CallRequest
from ocd.browser.process import orphans
from ocd.browser.process.chromium import Chromium
from ocd.browser.sessions.session import Sessions
from ocd.call_context import AllowedVerbs, CallContext
from ocd.calls import catalog
from ocd.calls.dispatch import check_call, run_call
from ocd.calls.egress_policy import EgressPolicy
from ocd.calls.replies import Reply
from ocd.calls.services import CallServices
from ocd.calls.task_kinds import task_kinds
from ocd.config.loader import Config, environment, reload
from ocd.crawl.crawler import Crawler
from ocd.evidence.service import EvidenceService
from ocd.evidence.store import EvidenceStore
from ocd.gateway.approvals import UpstreamApprovals
from ocd.gateway.gateway import Gateway
from ocd.gateway.tool_pins import PinStore
from ocd.integrations.totp_seeds import TotpStore
from ocd.integrations.webhooks import Webhooks
from ocd.ledger.runner import Runner
from ocd.ledger.store import TaskStore
from ocd.memory.checkpoints import checkpoints, snapshots
from ocd.memory.notes import Notes
from ocd.memory.session_resume import SessionSnapshots
from ocd.outputs.store import OutputStore
from ocd.oversight.approvals import Approvals
from ocd.oversight.leases import Leases
from ocd.recording.recent_actions import RecentActions
from ocd.recording.recorder import Recorder
from ocd.recording.store import Recordings
from ocd.runtime import resolver_threads
from ocd.runtime.part_options import (
    ClientFiles,
    browser_options,
    domain_policy,
    own_servers,
    webhook_posts,
)
from ocd.safety import secrets
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.redact import redact
from ocd.safety.sanitize import Sanitizer
from ocd.server.attach_switch import AttachSwitch
from ocd.server.dashboard_switch import DashboardSwitch
from ocd.server.http_api import HttpApi, OnDemandParts
from ocd.server.mcp_socket import McpSocketServer
from ocd.skills.service import SkillService
from ocd.skills.store import Skills
from ocd.storage.journal import Journal
from ocd.telemetry.call_spans import CallSpans
from ocd.telemetry.metrics import Metrics
from ocd.verb_api.capabilities import Capabilities
from ocd.verb_api.declaration import Verb
from ocd.verb_api.nested_calls import NestedCalls
from ocd.verbs.ask_human import HumanRequests
from ocd.verbs.batches import PaginationServices
from ocd.verbs.doctor import DoctorServices
from ocd.verbs.open_chat_studio import UploadServices
from ocd.verbs.tool_discovery import ToolCatalog
from ocd.workflows.plan_runner import Planner
from ocd.workflows.plan_store import PlanStore
from ocd.workflows.service import Workflows
from ocd.workflows.store import WorkflowStore

logger = logging.getLogger(__name__)

VERSION = version("openchrome")
# Running calls get this long to end once the daemon was told to stop.
STOP_GRACE_S = 3.0


class Daemon:
    """The parts of one daemon, and operations on all of them."""

    def __init__(self, config: Config, group: asyncio.TaskGroup) -> None:
        self.config = config
        self.group = group
        self.started = time.monotonic()
        self.stop = asyncio.Event()
        home = config.home
        self.sweep_changed = asyncio.Event()
        secrets.use(secrets.read_file(config.secrets) if config.secrets else secrets.NONE)
        domains = domain_policy(config)
        self.chromium = Chromium(browser_options(config, domains), self.spawn)
        self.chromium.downloads.max_bytes = config.max_download_mb << 20
        self.sessions = Sessions(self.chromium, files=home / "files")
        self.sanitizer = Sanitizer(enabled=config.sanitize_content)
        self.journal = Journal(home / "journal")
        self.outputs = self._output_store()
        self.crawler = self._crawler(domains)
        self.gateway = self._gateway()
        self.leases = Leases(self.report, self.chromium.hold, self.spawn)
        self.approvals = Approvals(self.report, (UpstreamApprovals(self.gateway),))
        self.evidence = EvidenceStore(home / "evidence")
        self.recorder = Recorder(
            Recordings(home / "recordings"), self.sessions, self.sanitizer, self.spawn
        )
        self._http_port: int | None = None
        self.client_files = ClientFiles(lambda: self.config)
        verbs, task_verbs = catalog.load(), catalog.kinds()
        every = verbs | task_verbs
        self._capabilities = Capabilities(every, config.tools_only, config.disable_tools)
        parts: dict[type, object] = {}
        self.runner = self._runner(parts, task_verbs)
        parts[Metrics] = Metrics(self.journal, verbs, self.runner, self.chromium, self.status)
        self.webhooks = self._webhooks()
        self.recent_actions = RecentActions()
        self.notes = Notes(home / "memory")
        self.skills = Skills(home / "skills")
        self._catalog = catalog.read()
        entries = {entry["name"]: entry for entry in self._catalog["verbs"]}
        self._add_parts(parts)
        self._add_callers(parts, self._tool_catalog(entries))
        self.services = self._services(parts, verbs, task_verbs)
        self.mcp_socket = self._mcp_socket(entries)
        self.dashboard = DashboardSwitch(self.services, self.status, self._refuse_own_ports)
        self.attaching = AttachSwitch(self.services, lambda: self.config, self._refuse_own_ports)

    def _output_store(self) -> OutputStore:
        return OutputStore(
            self.config.home / "output",
            ttl_hours=self.config.output_handle_ttl_hours,
            max_store_mb=self.config.max_store_mb,
        )

    def _gateway(self) -> Gateway:
        upstream, pins = self.config.upstream, PinStore(self.config.home)
        return Gateway(upstream, pins, self.sanitizer, load=self.load, spawn=self.spawn)

    def _webhooks(self) -> Webhooks:
        posts = webhook_posts(self.config)
        return Webhooks(self.runner, posts, lambda: self.crawler.policy, self.report)

    def _mcp_socket(self, entries: Mapping[str, Mapping[str, Any]]) -> McpSocketServer:
        return McpSocketServer(
            self.services, entries, version=VERSION, config=lambda: self.config,
            status=self.status, spawn=self.spawn,
        )  # fmt: skip

    def _crawler(self, domains: DomainPolicy) -> Crawler:
        crawler = Crawler(
            self.chromium, domains, self.sanitizer,
            any_certificate=self.config.ignore_certificate_errors,
            may_ignore_certificates=self.config.allow_certificate_errors,
        )  # fmt: skip
        crawler.clusters.tables = self.config.cluster
        return crawler

    def _add_parts(self, parts: dict[type, object]) -> None:
        """Add the parts that verbs need and that make no calls themselves."""
        own = (
            *(self.chromium, self.sessions, self.journal, self.outputs, self.crawler),
            *(self.runner, self.recorder, self.gateway, self.notes),
            EvidenceService(self.sessions, self.evidence, self.outputs, self.sanitizer),
            TotpStore(self.config.home, environment()),
            UploadServices(
                self.sessions, lambda: self.config.ocs, self.config.ignore_certificate_errors
            ),
            DoctorServices(self.chromium, lambda: self.config, self.status),
        )
        parts.update({type(part): part for part in own})

    def _add_callers(self, parts: dict[type, object], tools: ToolCatalog) -> None:
        """Add the parts that call verbs themselves, for which the services must exist."""
        home = self.config.home
        calls = NestedCalls(self._call)
        own = (
            *(calls, tools),
            HumanRequests(
                self.approvals, self.leases, self.sessions, calls, lambda: self.dashboard
            ),
            Workflows(WorkflowStore(home / "workflows"), self.sessions, calls),
            PaginationServices(calls, self.sessions),
            Planner(PlanStore(home / "plans"), calls, tools.entries),
            SessionSnapshots(self.sessions, checkpoints(home), snapshots(home), calls),
            SkillService(
                self.skills, self.recent_actions, self.recorder, self.sessions, calls,
                lambda verb, params: check_call(self.services, verb, params),
            ),
        )  # fmt: skip
        parts.update({type(part): part for part in own})

    def _call(self, request: CallRequest, caller: CallContext) -> Awaitable[Reply]:
        return run_call(self.services, request, caller=caller)

    def _allowed(self) -> AllowedVerbs:
        """Return the verbs that the running call may use."""
        return call_context.current().capabilities or self._capabilities

    def _is_listed(self, entry: Mapping[str, Any]) -> bool:
        """Return whether the entry is in the list of tools that the running call's host has."""
        listed = call_context.current().is_listed
        return listed(entry) if listed else entry["tier"] <= self.config.tier

    def _tool_catalog(self, entries: Mapping[str, Mapping[str, Any]]) -> ToolCatalog:
        """Return our verbs and the tools of other servers, as verbs about verbs see them."""
        own: dict[str, Mapping[str, Any]] = {**entries}
        all_entries = ChainMap(own, self.gateway.entries)
        return ToolCatalog(
            all_entries,
            lambda name: self._allowed().check(name, all_entries[name]["capability"]),
            lambda name: self._allowed().check_unknown(name),
            self._is_listed,
            self.gateway.settle,
        )

    def _runner(self, parts: dict[type, object], task_verbs: dict[str, Verb]) -> Runner:
        return Runner(
            TaskStore(self.config.home / "tasks"),
            task_kinds(task_verbs, parts, self.sanitizer),
            self.spawn,
            max_concurrent=self.config.max_concurrent_tasks,
            admit=lambda kind: self._allowed().check(kind, task_verbs[kind].capability),
        )

    def _services(
        self, parts: dict[type, object], verbs: dict[str, Verb], task_verbs: dict[str, Verb]
    ) -> CallServices:
        return CallServices(
            verbs=verbs,
            task_verbs=task_verbs,
            capabilities=self._capabilities,
            parts=parts,
            chromium=self.chromium, sessions=self.sessions, runner=self.runner,
            outputs=self.outputs, journal=self.journal, recorder=self.recorder,
            recent_actions=self.recent_actions, sanitizer=self.sanitizer,
            file_access=self.client_files.of, gateway=self.gateway,
            approvals=self.approvals, leases=self.leases,
            spans=CallSpans(self.config.otlp_endpoint, VERSION),
            policy=lambda: self.config.policy,
            egress_policy=EgressPolicy(lambda: self.config.policy.exfiltration, self.report),
            large_output=lambda: self.config.handle_large_tool_output,
        )  # fmt: skip

    @property
    def http_port(self) -> int | None:
        """The port of MCP over HTTP; None if there is none."""
        return self._http_port

    @http_port.setter
    def http_port(self, port: int | None) -> None:
        self._http_port = port
        # Before the first call, so that no Chromium runs without these rules.
        self.crawler.policy = self.chromium.guard.policy = self._domains()

    async def _refuse_own_ports(self) -> None:
        """Keep crawls and Chromium from every port at which the daemon listens now."""
        self.crawler.policy = self._domains()
        await self.chromium.set_policy(self.crawler.policy)

    def _domains(self) -> DomainPolicy:
        taken_ports = (self._http_port, self.dashboard.taken_port, self.attaching.taken_port)
        ports = [port for port in taken_ports if port is not None]
        if not ports:
            return domain_policy(self.config)
        return domain_policy(self.config, own_servers(self.config, ports))

    async def load(self, name: str) -> Any:  # noqa: ANN401 - a module of oc_mcp
        """Return a module of oc_mcp, which the MCP socket imports."""
        return await self.mcp_socket.load(name)

    def report(self, event: dict[str, Any]) -> None:
        """Write an event to the journal."""
        self.journal.record_event({**redact(event), "ts": rfc3339(time.time())})

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine as a child of the daemon's one TaskGroup."""
        return self.group.create_task(coroutine)

    def api(self) -> HttpApi:
        """Return the socket's routes."""
        served = catalog.limit(self._catalog, self._capabilities.names)
        return HttpApi(
            self.services, catalog=msgspec.json.encode(served),
            # What a client compares is what it was built with, not what is enabled here.
            catalog_hash=self._catalog["hash"], status=self.status, shutdown=self.stop.set,
            on_demand=OnDemandParts(self.dashboard, self.attaching),
        )  # fmt: skip

    def status(self) -> dict[str, Any]:
        """Return what GET /v1/status answers."""
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self.started, 1),
            "home": str(self.config.home),
            "socket": paths.daemon_socket(str(self.config.home), environment()),
            "browser": self.chromium.describe(),
            "sessions": len(self.sessions.names()),
            "session_names": secrets.current().mask(self.sessions.names()),
            "tabs": self.sessions.tab_count,
            "tasks": self.runner.counts(),
            "handles": self.outputs.stats(),
            "calls_in_flight": len(self.services.active_calls),
            "tools": {"tier": self.config.tier, "groups": sorted(self._capabilities.groups)},
            "mcp": {"bridges": self.mcp_socket.bridge_count, "http_port": self.http_port},
            "dashboard": self.dashboard.describe(),
            "attach": self.attaching.describe(),
            "clusters": self.crawler.clusters.describe(),
            "memory": {"rss_bytes": psutil.Process().memory_info().rss},
        }

    async def apply(self, config: Config) -> None:
        """Put the live settings of a changed configuration into force."""
        self.config = config
        self.client_files.forget()
        self.attaching.apply_setting()
        self.gateway.configure(config.upstream)
        self.crawler.clusters.tables = config.cluster
        await self._refuse_own_ports()
        self.outputs.ttl_hours = config.output_handle_ttl_hours
        self.outputs.max_store_mb = config.max_store_mb
        self.runner.max_concurrent = config.max_concurrent_tasks
        self.chromium.idle_minutes = config.browser_idle_minutes
        self.chromium.downloads.max_bytes = config.max_download_mb << 20
        await self._register_output_dir()
        self.sweep_changed.set()

    async def _register_output_dir(self) -> None:
        """Serve the handles in the configured folder, whichever daemon wrote them."""
        folder = self.config.handle_large_tool_output.output_dir
        if folder is not None:
            await asyncio.to_thread(self.outputs.add_root, folder)

    async def recover(self) -> None:
        """Clean up after earlier daemons: tasks, evidence, Chromium. Start the resolver threads."""
        started = time.monotonic()
        reaped = await self.runner.recover()
        took = (time.monotonic() - started) * 1000
        logger.info("ledger recovered in %.0f ms, %d orphans", took, len(reaped))
        await asyncio.to_thread(self.evidence.recover)
        await self._register_output_dir()
        await asyncio.to_thread(orphans.reap, self.config.home / "run")
        await resolver_threads.start()

    async def reload(self) -> None:
        """Apply what the configuration file says now."""
        await self.apply(reload(self.config, self.config.file))

    async def close(self) -> None:
        """End tasks, calls and Chromium, in this order, within bounded time."""
        self.services.closing.set()
        self.leases.close()
        await self.runner.stop()
        try:
            async with asyncio.timeout(STOP_GRACE_S):
                await self.services.wait_idle()
        except TimeoutError:
            logger.warning("%d calls did not end in time", len(self.services.active_calls))
        await self.gateway.close()
        await self.crawler.close()
        await self.recorder.close()
        await self.sessions.close_all()
        await self.chromium.close()
        await self.services.spans.close()

    def abandon(self) -> None:
        """End Chromium and write nothing: our paths may belong to another daemon by now."""
        self.services.closing.set()
        self.chromium.kill()
