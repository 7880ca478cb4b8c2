"""The verb that generates one-time passwords."""

import asyncio
import time
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.timestamps import rfc3339
from ocd.integrations.totp_seeds import TotpStore
from ocd.verb_api.declaration import Output, Params, daemon_verb


class TotpGenerate(Params):
    """Generate the current one-time password for a domain

    Its seed was added by the user with `oc totp add`, and is never shown.
    """

    domain: Annotated[str, Meta(min_length=1, description="For example example.org, or a URL")]


class TotpGenerateResult(TypedDict):
    """The password that is valid now."""

    domain: str
    code: str
    seconds_remaining: int
    expires_at: str
    note: NotRequired[str]


@daemon_verb(
    "oc_totp_generate",
    TotpGenerate,
    needs=TotpStore,
    returns=TotpGenerateResult,
    capability="totp",
    tier=3,
    example={"domain": "example.com"},
)
async def oc_totp_generate(store: TotpStore, params: TotpGenerate) -> Output:
    generated = await asyncio.to_thread(store.code, params.domain, time.time())
    left = generated.expires_at - time.time()
    note = "It expires soon: wait for the next one if the site is slow." if left < 5 else ""
    data = {
        "domain": generated.domain,
        "code": generated.code,
        "seconds_remaining": max(0, round(left)),
        "expires_at": rfc3339(generated.expires_at),
    }
    return Output(data={**data, "note": note} if note else data)
