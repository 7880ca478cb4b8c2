"""webhook.json: where to send a task's end. Removed once it is sent or given up."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ocd.ledger.store import TaskStore
from ocd.storage.files import decode_versioned, open_private, read_whole, storage

WEBHOOK = "webhook.json"
_FORMAT = 1


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """An address that gets the task's meta by POST when the task has ended."""

    version: int = _FORMAT
    url: str


def write_webhook(folder: Path, url: str) -> None:
    """Write the webhook into the folder of a task that is being created."""
    with storage("writing", folder / WEBHOOK), open_private(folder / WEBHOOK) as file:
        file.write(msgspec.json.encode(Webhook(url=url)))


def has_webhook(store: TaskStore, task_id: str) -> bool:
    """Return whether the task has a webhook to notify."""
    return os.path.exists(store.directory(task_id) / WEBHOOK)  # noqa: PTH110 - asked at every end


def read_webhook(store: TaskStore, task_id: str) -> Webhook | None:
    """Return the webhook of a task, or None; unreadable_file."""
    path = store.directory(task_id) / WEBHOOK
    data = read_whole(path)
    return None if data is None else decode_versioned(path, data, Webhook, _FORMAT)


def remove_webhook(store: TaskStore, task_id: str) -> None:
    """Note that nobody has to be notified any more."""
    path = store.directory(task_id) / WEBHOOK
    with storage("removing", path):
        path.unlink(missing_ok=True)


def waiting_webhooks(store: TaskStore) -> Iterator[str]:
    """Yield the ids of the tasks, ended or not, that still have a webhook."""
    for path in store.root.glob(f"[0-9a-f]*/{WEBHOOK}"):
        yield path.parent.name
