"""Verbs about the daemon itself."""

import asyncio
from typing import Annotated, Literal

from msgspec import Meta

from ocd.records.journal import Journal
from ocd.verb import Output, Params, daemon_verb


class ShowJournal(Params):
    """Show what was called lately

    recent: a list of calls and events (an output handle was created, for example), newest last.
    summary: counts by verb and error. Arguments are redacted.
    """

    action: Annotated[
        Literal["recent", "summary"], Meta(description="The last entries, or counts over them")
    ] = "recent"
    count: Annotated[int, Meta(ge=1, le=1000, description="How many entries recent returns")] = 20


@daemon_verb("oc_journal", ShowJournal, needs=Journal, capability="core", tier=1, large=True)
async def oc_journal(journal: Journal, params: ShowJournal) -> Output:
    if params.action == "summary":
        return Output(data=await asyncio.to_thread(journal.summary))
    return Output(data=await asyncio.to_thread(journal.recent, params.count), items=())
