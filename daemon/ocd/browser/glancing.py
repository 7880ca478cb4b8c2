"""One quick look at a page that has just come: how much it has, and what stands before it."""

import asyncio
import contextlib
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tab import Tab

# A page that is busy then is told of without it.
LOOK_S = 0.25
# The words are those of the gates' own titles: a page that writes about captchas is not one.
_GLANCE = """() => {
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && el.getClientRects().length > 0;
  const some = (selector) => [...document.querySelectorAll(selector)].some(seen);
  const title = document.title.trim();
  const named = (words) => words.test(title);
  const widget = 'iframe[src*="recaptcha"], iframe[src*="hcaptcha"], iframe[src*="arkoselabs"],'
    + ' iframe[src*="challenges.cloudflare.com"], .g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha';
  const count = document.querySelectorAll('*').length;
  let gate = '';
  if (named(/^(just a moment|attention required|verify you are human|are you a robot|checking your browser)/i)) gate = 'bot-check';
  else if (named(/^(access denied|403 forbidden|you have been blocked)/i)) gate = 'access-denied';
  else if (named(/^(please )?enable javascript/i)) gate = 'js-required';
  else if (count < 300 && some(widget) && document.body.innerText.length < 1000) gate = 'captcha';
  return { count, gate, title, login: some('input[type=password]') };
}"""


async def glance(tab: Tab) -> dict[str, Any]:
    """Return count (of elements), gate, title and login; an empty object from a busy page.

    gate: what stands before the page (captcha, bot-check, access-denied, js-required), or "".
    login: whether it asks for a password.
    """
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(LOOK_S):
            found: dict[str, Any] = await tab.evaluate(_GLANCE, args=(), isolated=True)
            return found
    return {}
