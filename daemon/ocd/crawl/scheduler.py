"""The workers of one crawl: they take entries, visit them and store the results.

Everything that decides (what is next, whether there is room for it, what becomes of a failure) is
synchronous; the only awaits are the visits and the wait for something to do.
"""

import asyncio
from collections import Counter, deque
from fnmatch import fnmatch

import msgspec

from ocd.api.errors import OcdError
from ocd.crawl import traps
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.duplicates import Duplicates
from ocd.crawl.earlier_runs.frontier_log import FrontierLog, FrontierNote
from ocd.crawl.fetch.browser_fetch import NO_BROWSER
from ocd.crawl.fetch.fetch_errors import ENDS_CRAWL, FetchError
from ocd.crawl.frontier.frontier import Frontier, FrontierEntry
from ocd.crawl.rate_limits import RateLimits, backoff_s, overload_text
from ocd.crawl.relevance import LinkScore, RelevanceScorer
from ocd.crawl.spec import MAX_RETRY_AFTER_S, CrawlSpec
from ocd.crawl.stats import CrawlStats
from ocd.crawl.urls import origin_of
from ocd.crawl.visits.outcome import Links, NeedsBrowser, SkipPage, VisitResult, failure_record
from ocd.crawl.visits.page_visit import CrawlServices, PageVisitor
from ocd.ledger.cancellation import run_until
from ocd.ledger.task_handle import TaskHandle

_NEVER = float("inf")
_SLOW_DOWN = (429, 503)
_AFTER_OTHERS_S = 0.1


class CrawlScheduler:
    """Runs one crawl's workers over its frontier.

    A page slot is reserved when an entry is taken, so `max_pages` is exact; the slot of an entry
    that yields no page is free again at once.
    """

    def __init__(
        self, spec: CrawlSpec, work: TaskHandle, visitor: PageVisitor, tools: CrawlServices,
        log: FrontierLog,
    ) -> None:  # fmt: skip
        self._spec = spec
        self._work = work
        self._visitor = visitor
        self._policy = tools.policy
        self._renderer = tools.renderer
        self._frontier: Frontier = tools.frontier
        self._politeness: RateLimits = tools.politeness
        self._earlier = tools.earlier
        self._routes = tools.routes
        self._answers = tools.answers
        self._log = log
        self._duplicates = Duplicates()
        self._scorer = RelevanceScorer(spec.query if spec.strategy == "best_first" else "")
        self._encode = msgspec.json.Encoder().encode
        self._blocked: dict[str, bool] = {}
        self._is_failing = False
        self._in_flight = 0
        self._depths: Counter[int] = Counter()
        self._idle: deque[asyncio.Future[None]] = deque()
        self._woken = False
        self._alarm: asyncio.TimerHandle | None = None
        self.stats = CrawlStats()

    async def run(self, workers: int) -> None:
        """Work until nothing is left, a limit is reached, or the task is stopped."""
        try:
            await run_until(self._work.stop, *(self._worker() for _ in range(workers)))
        finally:
            self._set_alarm(_NEVER)
        if not self._work.stopping:
            self._give_up_late_ones()
        self.stats.stop_reason = self._stop_reason()
        if self._earlier is not None and self.stats.stop_reason == "completed":
            self.stats.miss(self._earlier.unseen())

    def _stop_reason(self) -> str:
        if self._work.stopping:
            return "cancelled"
        self._frontier.drop_stale()
        if not len(self._frontier):
            return "completed"
        return "max_pages" if self.stats.succeeded >= self._spec.max_pages else "max_attempts"

    # --- what is next -------------------------------------------------------------------------

    async def _worker(self) -> None:
        while (entry := await self._next()) is not None:
            try:
                await self._visit(entry)
            finally:
                self._in_flight -= 1
                self._depths[entry.depth] -= 1
                self._end_request(entry)
                self._wake()

    def _on_response(self, entry: FrontierEntry) -> None:
        # The origin is not busy with it any more while the answer is being read.
        self._end_request(entry, asyncio.get_running_loop().time() - entry.asked_at)

    def _end_request(self, entry: FrontierEntry, took_s: float | None = None) -> None:
        if entry.asking:
            entry.asking = False
            self._politeness.end(entry.origin, took_s, now=asyncio.get_running_loop().time())
            self._wake()

    async def _next(self) -> FrontierEntry | None:
        clock = asyncio.get_running_loop().time
        while isinstance(entry := self._take(clock()), int | float):
            self._set_alarm(entry)
            await self._wait_woken()
        self._wake()  # another worker may find one, too, or that there are none left
        return entry

    async def _wait_woken(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._idle.append(waiter)
        await waiter
        self._woken = False

    def _set_alarm(self, at: float) -> None:
        """Set the only time at which a worker is woken, by the loop's clock; inf: never."""
        if self._alarm is not None:
            self._alarm.cancel()
        loop = asyncio.get_running_loop()
        self._alarm = loop.call_at(at, self._wake) if at < _NEVER else None

    def _take(self, now: float) -> FrontierEntry | float | None:
        """Return the entry to visit now, the time until which to wait, or None if none are left."""
        stats, spec = self.stats, self._spec
        if stats.succeeded >= spec.max_pages or stats.attempts >= spec.max_attempts:
            return None
        if stats.succeeded + self._in_flight >= spec.max_pages:
            return _NEVER
        for origin in self._politeness.drain_reopened():
            self._frontier.reopen(origin)
        entry = self._frontier.take(now, self._politeness.ready_at, self._deepest())
        if isinstance(entry, FrontierEntry):
            self._in_flight += 1
            self._depths[entry.depth] += 1
            entry.asking, entry.asked_at = True, now
            self._politeness.begin(entry.origin, now)
            stats.attempts += 1
        elif not self._in_flight and not len(self._frontier):
            return None
        return entry

    def _deepest(self) -> float:
        """Return the depth below which no entry may be taken now.

        Entries are taken level by level, with one level of slack: only a page two levels up that is
        still in flight could shorten the path to an entry. So depths are exact.
        """
        if self._spec.strategy != "bfs":
            return _NEVER
        return min((d for d, n in self._depths.items() if n), default=_NEVER) + 1

    def _wake(self) -> None:
        """Wake one idle worker; it wakes the next one if it finds an entry."""
        while self._idle and not self._woken:
            waiter = self._idle.popleft()
            if not waiter.done():
                self._woken = True
                waiter.set_result(None)

    # --- what becomes of it -------------------------------------------------------------------

    async def _visit(self, entry: FrontierEntry) -> None:
        try:
            visited = await self._visitor.visit(entry, self._on_response)
        except SkipPage as skip:
            self._skip(entry, skip)
        except NeedsBrowser as need:
            self._send_to_browser(entry, need)
        except OcdError as error:
            self._fail(entry, error)
        else:
            self._keep(entry, visited)

    def _keep(self, entry: FrontierEntry, visited: VisitResult) -> None:
        record = visited.record
        self._politeness.note_answer(entry.origin)
        note = FrontierNote(url=entry.url, is_file=self._is_file(entry, visited))
        if self._spec.respect_robots and visited.unfollowed:
            note.unfollowed = list(visited.unfollowed)
        score = self._scorer.of_links(record.title, record.content, entry.depth + 1, note.scores)
        self._take_in(entry, visited, score)
        for answer in visited.raw:
            self._answers.append(answer)
        if record.content_hash:
            record.duplicate_of = self._find_duplicate(visited)
        self._write(entry, record, note)

    def _take_in(self, entry: FrontierEntry, visited: VisitResult, score: LinkScore) -> None:
        links = (
            visited.obey_robots(self.stats.skipped) if self._spec.respect_robots else visited.links
        )
        if entry.depth < self._spec.max_depth:
            self._offer(links, entry, score)

    def _find_duplicate(self, visited: VisitResult) -> str:
        record = visited.record
        return self._duplicates.find(record.final_url, record.content_hash, visited.signature)

    # --- what an earlier run has finished -----------------------------------------------------

    def take_in_finished(self, visited: VisitResult, note: FrontierNote) -> None:
        """Take over a page of an earlier run of this crawl, as if it had been visited now."""
        record = visited.record
        claims = [*note.claims, record.final_url] if record.final_url != record.url else note.claims
        entry = self._frontier.settle(record.url, record.depth, claims)
        self._visitor.follow_move(entry, record.final_url)
        self._take_in(entry, visited, lambda url, _text: note.scores.get(url, 0.0))
        if record.content_hash and not record.duplicate_of:
            self._find_duplicate(visited)
        if self._earlier is not None:
            self._earlier.change_of(record)
        self._routes.note(record)
        self.stats.count(record, is_file=note.is_file)
        self.stats.attempts += 1
        self.stats.resumed += 1

    def take_in_skipped(self, note: FrontierNote) -> None:
        """Take over an entry that an earlier run skipped after its request, if that is one."""
        if not note.skipped:
            return
        entry = self._frontier.settle(note.url, 0, note.claims)
        self._count_skipped(entry, SkipPage(note.skipped, note.target))

    def _is_file(self, entry: FrontierEntry, visited: VisitResult) -> bool:
        if types := self._spec.include_types:
            return not any(fnmatch(visited.record.content_type, type_.lower()) for type_ in types)
        return visited.is_file and entry.depth > 0

    def _write(
        self, entry: FrontierEntry, record: PageRecord, note: FrontierNote | None = None
    ) -> None:
        note = note or FrontierNote(url=entry.url)
        if entry.claims:
            note.claims = self._frontier.claims_of(entry, but=record.final_url)
        self._log.append(note)
        if self._earlier is not None:
            record.change = self._earlier.change_of(record)
        self._routes.note(record)
        self.stats.count(record, is_file=note.is_file)
        done = self.stats.succeeded + self.stats.failed
        self._is_failing |= 0 < done == self._spec.fail_on_page
        if self._is_failing:  # nor are those kept that end before the crawl has
            raise OcdError("injected_failure", f"fail_on_page={done}: {record.url}")
        self._work.add(self._encode(record))
        self._work.progress(self.stats.succeeded, self._expected(), record.url)

    def _expected(self) -> int:
        """Return how many pages there will be: `max_pages` while links may add to what is known."""
        left = self._in_flight - 1 + len(self._frontier)
        if left and self._spec.max_depth:
            return self._spec.max_pages
        return max(self.stats.succeeded, min(self._spec.max_pages, self.stats.succeeded + left))

    def _skip(self, entry: FrontierEntry, skip: SkipPage) -> None:
        self.stats.attempts -= 1 if skip.url == entry.url else 0
        self._count_skipped(entry, skip)
        if skip.url != entry.url:  # it was requested, and must not be requested again
            claims = self._frontier.claims_of(entry)
            note = FrontierNote(url=entry.url, claims=claims, skipped=skip.reason, target=skip.url)
            self._log.append(note)

    def _count_skipped(self, entry: FrontierEntry, skip: SkipPage) -> None:
        if skip.reason == "duplicate":
            self.stats.skipped["duplicate"] += 1
            return
        self.stats.deny(skip.url)
        if self._spec.starts == (entry.url,) and not self._spec.sitemap_url:
            raise skip.of_start()

    def _send_to_browser(self, entry: FrontierEntry, need: NeedsBrowser) -> None:
        entry.render, entry.fallback = need.reason, need.fallback
        if self._renderer.missing is not None:
            self._keep_fallback(entry, self._renderer.missing)
            return
        self.stats.attempts -= 1  # one page is one attempt, even in two steps
        self._frontier.put_back(entry)

    def _keep_fallback(self, entry: FrontierEntry, error: OcdError) -> None:
        visited: VisitResult | OcdError = entry.fallback
        if isinstance(visited, OcdError):
            self._write(entry, failure_record(entry, visited, "static"))
            return
        visited.record.engine_reason = f"{entry.render}; but there is no browser: {error.message}"
        self._keep(entry, visited)

    def _fail(self, entry: FrontierEntry, error: OcdError) -> None:
        if error.code in NO_BROWSER and entry.fallback is not None:
            self._keep_fallback(entry, error)
            return
        if error.code in (*NO_BROWSER, *ENDS_CRAWL):
            raise error
        if error.details.get("status") not in (None, *_SLOW_DOWN):
            self._politeness.note_answer(entry.origin)
        if not self._retry(entry, error):
            self._write(entry, failure_record(entry, error, self._engine_of(entry)))

    def _retry(self, entry: FrontierEntry, error: OcdError) -> bool:
        """Put the entry back if a retry may help, and slow its origin down if it asks for that."""
        if not isinstance(error, FetchError) or not error.transient:
            return False
        self._politeness.note_failure(entry.origin)
        retry_after_s = error.retry_after or 0.0
        if retry_after_s > MAX_RETRY_AFTER_S:
            error.details["retry_after_s"] = round(retry_after_s)
            return False
        now = asyncio.get_running_loop().time()
        until, is_free = now + max(backoff_s(entry.tries), retry_after_s), False
        if error.status in _SLOW_DOWN:
            until, is_free = self._hold(entry, error.status, retry_after_s, now)
        if entry.tries >= self._spec.retries and not is_free:
            return False
        entry.tries += not is_free
        self.stats.attempts -= is_free
        entry.failure = error
        self.stats.retried += 1
        self._frontier.put_back(entry, until)
        return True

    def _hold(
        self, entry: FrontierEntry, status: int | None, retry_after_s: float, now: float
    ) -> tuple[float, bool]:
        """Leave an overloaded origin alone; return until when, and whether the attempt is free.

        It is free while the origin refuses everything; an entry that is refused after the origin
        has answered others is itself at fault.
        """
        answers = self._politeness.answers(entry.origin)
        overload = self._politeness.note_refusal(entry.origin, retry_after_s, now)
        entry.refused_alone |= 0 <= entry.refused_after < answers
        entry.refused_after = answers
        is_free = overload.may_pass and self._spec.retries > 0 and not entry.refused_alone
        if is_free:
            words = overload_text(entry.origin, status, overload, now)
            self._work.progress(self.stats.succeeded, self._expected(), words)
        # Another entry is tried first, if there is one.
        return overload.until + (_AFTER_OTHERS_S if is_free else 0.0), is_free

    def _give_up_late_ones(self) -> None:
        """Record the pages that were still waiting for a retry when the limits were reached."""
        if self.stats.succeeded >= self._spec.max_pages:
            return
        for entry in self._frontier.drain_failed():
            self._write(entry, failure_record(entry, entry.failure, self._engine_of(entry)))

    def _engine_of(self, entry: FrontierEntry) -> str:
        return "browser" if entry.render or self._spec.engine == "browser" else "static"

    # --- links --------------------------------------------------------------------------------

    def _offer(self, links: Links, page: FrontierEntry, score: LinkScore) -> None:
        frontier, scope, depth = self._frontier, self._visitor.scope, page.depth + 1
        for url, text in links:
            if frontier.is_known(url):
                frontier.shorten(url, depth)
                continue
            dates = traps.dates_in_row(url, page.url, page.dates)
            reason = scope.reject(url) or self._policy_reason(url) or traps.trap_reason(url, dates)
            if reason:
                frontier.mark_known(url)
                self.stats.skip(reason, url)
                continue
            entry = FrontierEntry(url, depth, score(url, text), dates=dates, parent=page.url)
            frontier.add(entry)
        self._wake()

    async def offer_sitemap_url(self, url: str) -> int:
        """Accept a URL of a sitemap if it is allowed; return how many have been accepted."""
        reason = self._visitor.scope.reject(url) or self._policy_reason(url)
        if reason:
            self.stats.skipped[reason] += 1
        else:
            try:
                await self._visitor.check_robots(url)
            except SkipPage:
                self.stats.deny(url)
            except OcdError:
                self._frontier.add(FrontierEntry(url, 0))  # unreachable: its record will report it
            else:
                self._frontier.add(FrontierEntry(url, 0))
        return len(self._frontier)

    def _policy_reason(self, url: str) -> str:
        if self._policy.empty and not url.startswith("file:"):
            return ""
        place = url if url.startswith("file:") else origin_of(url)
        if place not in self._blocked:
            self._blocked[place] = not self._policy.allows(url)
        return "domain_blocked" if self._blocked[place] else ""
