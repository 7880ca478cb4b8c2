"""Webhooks without a network: retries, refusals, and what a stopped daemon has left."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ocd.api.errors import OcdError
from ocd.integrations.webhooks import PAUSES_S, SignedPosts, Webhooks, read_key, signature
from ocd.ledger.runner import Runner
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.webhooks import waiting_webhooks, write_webhook
from ocd.safety.domain_policy import DomainPolicy

TASK, OTHER = "0123456789abcdef", "fedcba9876543210"


class FakePosts(SignedPosts):
    """Answers what it is told to, one try after the other, and then the last one for good."""

    def __init__(self, *answers: str) -> None:
        super().__init__(Path())
        self.answers = list(answers)
        self.sent: list[tuple[str, str]] = []

    async def send(self, url: str, message_id: str, body: bytes) -> str:
        self.sent.append((url, msgspec.json.decode(body)["type"]))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def keep_task(store: TaskStore, task_id: str, status: Any) -> None:  # noqa: ANN401 - the ledger's
    meta = TaskMeta(task_id=task_id, kind="crawl", status=status, created_at="2026-01-01T00:00:00Z")
    store.create(meta, lambda folder: write_webhook(folder, "http://a.example/h?k=1"))


async def tell(
    home: Path, posts: SignedPosts, policy: DomainPolicy | None = None
) -> tuple[TaskStore, dict[str, Any]]:
    """Tell of the one of two tasks that has ended; return the store, and the journal's event."""
    store, events = TaskStore(home), asyncio.Queue[dict[str, Any]]()
    keep_task(store, TASK, "COMPLETED")
    keep_task(store, OTHER, "RUNNING")
    async with asyncio.TaskGroup() as group:
        runner = Runner(store, {}, group.create_task)
        webhooks = Webhooks(
            runner, posts, lambda: policy or DomainPolicy(), events.put_nowait, (0.0,) * 4
        )
        running = group.create_task(webhooks.run())
        event = await events.get()
        running.cancel()
    assert events.empty()
    return store, event


async def test_an_undelivered_webhook_is_tried_five_times(tmp_path: Path) -> None:
    """A 2xx response ends it, and so does the fifth try; then the webhook is dropped."""
    assert len(PAUSES_S) == 4
    late = FakePosts("HTTP 500", "no answer", "")
    store, event = await tell(tmp_path / "a", late)
    assert late.sent == [("http://a.example/h?k=1", "task.completed")] * 3
    assert event == {
        "event": "webhook_sent", "task_id": TASK, "to": "http://a.example",
        "delivered": True, "tries": 3,
    }  # fmt: skip
    assert list(waiting_webhooks(store)) == [OTHER]
    never = FakePosts("HTTP 302")
    store, event = await tell(tmp_path / "b", never)
    assert len(never.sent) == event["tries"] == 5
    assert (event["delivered"], event["error"]) == (False, "HTTP 302")
    assert list(waiting_webhooks(store)) == [OTHER]


async def test_a_failing_webhook_delays_no_other(tmp_path: Path) -> None:
    """Without a thread, one webhook waits for the next start; the others are sent."""
    store, events = TaskStore(tmp_path), asyncio.Queue[dict[str, Any]]()
    keep_task(store, TASK, "COMPLETED")
    keep_task(store, OTHER, "COMPLETED")

    class Scarce(FakePosts):
        async def send(self, url: str, message_id: str, body: bytes) -> str:
            if message_id == TASK:
                raise RuntimeError("can't start new thread")
            return await super().send(url, message_id, body)

    async with asyncio.TaskGroup() as group:
        runner = Runner(store, {}, group.create_task)
        webhooks = Webhooks(runner, Scarce(""), DomainPolicy, events.put_nowait)
        running = group.create_task(webhooks.run())
        event = await events.get()
        running.cancel()
    assert (event["task_id"], event["delivered"]) == (OTHER, True)
    assert list(waiting_webhooks(store)) == [TASK]


async def test_a_forbidden_address_gets_no_webhook(tmp_path: Path) -> None:
    posts = FakePosts("")
    store, event = await tell(tmp_path, posts, DomainPolicy(block=("*.example",)))
    assert (posts.sent, event["tries"], event["delivered"]) == ([], 0, False)
    assert list(waiting_webhooks(store)) == [OTHER]


def test_the_signing_key_is_generated_once_or_configured(tmp_path: Path) -> None:
    """The signature equals that of the example in Standard Webhooks."""
    path = tmp_path / "run" / "webhook.key"
    made = read_key(path)
    assert len(made) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_key(path) == made
    path.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    said = signature(
        read_key(path), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert said == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    path.write_text("whsec_!")
    with pytest.raises(OcdError, match="not base64"):
        read_key(path)
