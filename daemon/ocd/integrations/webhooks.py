"""Webhooks: a task's meta, sent to the caller's address by a signed POST.

    POST <address>
    webhook-id: <task id>                    the same with every try
    webhook-timestamp: <seconds, Unix time>  of this try
    webhook-signature: v1,<base64>           HMAC-SHA256(key, "<id>.<timestamp>.<body>")

    {"type": "task.completed", "timestamp": "2026-…Z", "data": {the task's meta}}

That is the format of Standard Webhooks. The key is in run/webhook.key: `whsec_` and base64 of 32
bytes, created with the first webhook. After any response but 2xx there are four more tries.
"""

import asyncio
import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.ledger.runner import Runner
from ocd.ledger.states import TaskMeta, public
from ocd.ledger.webhooks import has_webhook, read_webhook, remove_webhook, waiting_webhooks
from ocd.safety import secrets as known_secrets
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.origins import origin_of
from ocd.storage.files import make_dir, read_whole, write_whole

_PREFIX = "whsec_"
_KEY_BYTES = 32
_ANSWER_S = 15.0
# Seconds before the second try, the third, …
PAUSES_S = (2.0, 10.0, 60.0, 300.0)

logger = logging.getLogger(__name__)


def signature(key: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """Return what webhook-signature says of a body."""
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def read_key(path: Path) -> bytes:
    """Return the key in the file, created private to the user if missing or empty. Blocks.

    Raises config_invalid if it is not base64, storage_*, unreadable_file.
    """
    text = (read_whole(path) or b"").decode("utf-8", "replace").strip()
    if not text:
        text = _PREFIX + base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()
        make_dir(path.parent)
        write_whole(path, text.encode() + b"\n")
    if not text.startswith(_PREFIX):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except ValueError as error:
        message = f"{path}: the part after {_PREFIX} is not base64"
        raise OcdError("config_invalid", message, path=str(path)) from error


def body_of(meta: TaskMeta) -> bytes:
    """Return the body for an ended task: its meta, which contains no text of its pages."""
    data = known_secrets.current().mask(public(meta))
    event = {"type": f"task.{meta.status.lower()}", "timestamp": meta.ended_at, "data": data}
    return msgspec.json.encode(event)


class SignedPosts:
    """Sends messages with the signature of one key. any_certificate: accept any TLS certificate."""

    def __init__(self, key_file: Path, *, any_certificate: bool = False) -> None:
        self._key_file = key_file
        self._any_certificate = any_certificate

    async def send(self, url: str, message_id: str, body: bytes) -> str:
        """Return why it has not arrived, or an empty string. Raises storage_*, config_invalid."""
        import aiohttp  # 150 ms, for those who have a webhook

        key = await asyncio.to_thread(read_key, self._key_file)
        timestamp = int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "OpenChrome",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(key, message_id, timestamp, body),
        }
        connector = aiohttp.TCPConnector(ssl=not self._any_certificate)
        timeout = aiohttp.ClientTimeout(total=_ANSWER_S)
        try:
            async with (
                aiohttp.ClientSession(connector=connector, timeout=timeout) as http,
                http.post(url, data=body, headers=headers, allow_redirects=False) as answer,
            ):
                return "" if answer.status < 300 else f"HTTP {answer.status}"
        except TimeoutError:
            return f"no answer within {_ANSWER_S:g} s"
        except aiohttp.ClientError as error:
            return str(error) or type(error).__name__

    def __repr__(self) -> str:
        return f"SignedPosts({str(self._key_file)!r})"


class Webhooks:
    """Notifies callers' addresses of ended tasks; notifications survive a stop of the daemon.

    policy: asked before each try. report: writes an event to the journal.
    """

    def __init__(
        self,
        runner: Runner,
        posts: SignedPosts,
        policy: Callable[[], DomainPolicy],
        report: Callable[[dict[str, Any]], None],
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._store = runner.store
        runner.listeners.append(self._on_change)
        self._posts = posts
        self._policy = policy
        self._report = report
        self._ended: asyncio.Queue[TaskMeta] = asyncio.Queue()
        self._pauses_s = pauses_s
        self._delivering: set[str] = set()

    def _on_change(self, meta: TaskMeta) -> None:
        waits = meta.terminal and meta.task_id not in self._delivering
        if waits and has_webhook(self._store, meta.task_id):
            self._delivering.add(meta.task_id)
            self._ended.put_nowait(meta)

    async def run(self) -> None:
        """Notify of tasks that end, and of those that an earlier daemon left, until cancelled."""
        async with asyncio.TaskGroup() as group:
            await self._find_waiting()
            while True:
                group.create_task(self._deliver_once(await self._ended.get()))

    async def _find_waiting(self) -> None:
        for task_id in await asyncio.to_thread(lambda: list(waiting_webhooks(self._store))):
            try:
                meta = await asyncio.to_thread(self._store.read, task_id)
            except OcdError as error:
                logger.warning("webhook of task %s: %s", task_id, error)
                continue
            self._on_change(meta)

    async def _deliver_once(self, meta: TaskMeta) -> None:
        try:
            await self._deliver(meta)
        except OcdError as error:
            logger.warning("webhook of task %s: %s", meta.task_id, error)
        except Exception:  # no thread, no memory: it waits for the next start
            logger.exception("the webhook of task %s failed", meta.task_id)
        finally:
            self._delivering.discard(meta.task_id)

    async def _deliver(self, meta: TaskMeta) -> None:
        webhook = await asyncio.to_thread(read_webhook, self._store, meta.task_id)
        if webhook is None:
            return
        tries, why = await self._send(webhook.url, meta)
        await asyncio.to_thread(remove_webhook, self._store, meta.task_id)
        self._report({
            "event": "webhook_sent", "task_id": meta.task_id, "to": origin_of(webhook.url),
            "delivered": not why, "tries": tries, **({"error": why} if why else {}),
        })  # fmt: skip

    async def _send(self, url: str, meta: TaskMeta) -> tuple[int, str]:
        """Return the number of tries, and why it has not arrived, or an empty string."""
        body, tries, why = body_of(meta), 0, ""
        for pause_s in (0.0, *self._pauses_s):
            await asyncio.sleep(pause_s)
            try:
                self._policy().check(url)
            except OcdError as error:
                return tries, error.message
            tries += 1
            why = await self._posts.send(url, meta.task_id, body)
            if not why:
                break
        return tries, why

    def __repr__(self) -> str:
        return f"Webhooks({len(self._delivering)} on their way)"
