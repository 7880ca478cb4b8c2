"""robots.txt by RFC 9309."""

import pytest

from ocd.api.errors import OcdError
from ocd.crawl.robots import Robots, RobotsReply, RobotsRules


class _Server:
    def __init__(self, **answers: RobotsReply | OcdError) -> None:
        self.answers = {
            f"http://x/{name.replace('_', '.')}": answer for name, answer in answers.items()
        }
        self.asked: list[str] = []

    async def __call__(self, url: str) -> RobotsReply:
        self.asked.append(url)
        answer = self.answers[url]
        if isinstance(answer, OcdError):
            raise answer
        return answer


async def _rules(body: str) -> RobotsRules:
    return await Robots(_Server(robots_txt=RobotsReply(200, "", body.encode()))).rules("http://x/")


@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        ("Disallow: /a", "/a/b", False),
        ("Disallow: /a\nAllow: /a/b", "/a/b", True),
        ("Disallow: /a/b\nAllow: /a", "/a/b", False),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", True),
        ("Disallow: /%61", "/a", False),
        ("Disallow:", "/a", True),
        ("", "/a", True),
    ],
)
async def test_rules_match_paths_as_rfc_9309_says(lines: str, path: str, allowed: bool) -> None:
    rules = await _rules(f"User-agent: *\n{lines}\n")
    assert rules.allows(f"http://x{path}") is allowed


async def test_a_group_for_our_name_replaces_that_for_all() -> None:
    rules = await _rules("User-agent: *\nDisallow: /\n\nUser-Agent: OPENCHROME\nDisallow: /b\n")
    assert rules.allows("http://x/a")
    assert not rules.allows("http://x/b")


async def test_a_byte_order_mark_hides_no_rule() -> None:
    rules = await _rules("\ufeffUser-agent: *\r\nDisallow: /a\r\n")
    assert not rules.allows("http://x/a")


async def test_crawl_delay_and_sitemaps_are_read() -> None:
    rules = await _rules("Sitemap: /map.xml\nUser-agent: *\nCrawl-delay: 0.5\n")
    assert rules.crawl_delay_s == 0.5
    assert rules.sitemaps == ["http://x/map.xml"]


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (401, True), (500, False)])
async def test_only_server_errors_forbid_everything(status: int, allowed: bool) -> None:
    server = _Server(robots_txt=RobotsReply(status, "", b""))
    assert (await Robots(server).rules("http://x/a")).allows("http://x/a") is allowed


async def test_fetched_once_and_redirects_followed() -> None:
    server = _Server(
        robots_txt=RobotsReply(301, "/other.txt", b""),
        other_txt=RobotsReply(200, "", b"User-agent: *\nDisallow: /a"),
    )
    robots = Robots(server)
    assert robots.rules_for("http://x/a") is None
    for _ in range(3):
        assert not (await robots.rules("http://x/a")).allows("http://x/a")
    assert server.asked == ["http://x/robots.txt", "http://x/other.txt"]


async def test_a_version_behind_our_name_says_nothing() -> None:
    group = "user-agent : OpenChrome/1.0 # ours\nDisallow: /b\n"
    rules = await _rules(f"User-agent: *\nDisallow: /\n\n{group}")
    assert rules.allows("http://x/a")
    assert not rules.allows("http://x/b")


async def test_too_many_redirects_count_as_no_robots_txt() -> None:
    server = _Server(robots_txt=RobotsReply(302, "/robots.txt", b""))
    assert (await Robots(server).rules("http://x/a")).allows("http://x/a")
    assert len(server.asked) == 6


async def test_unreachable_robots_is_reported_and_not_retried_for_ever() -> None:
    server = _Server(robots_txt=OcdError("fetch_failed", "refused"))
    robots = Robots(server)
    for _ in range(5):
        with pytest.raises(OcdError, match="refused"):
            await robots.rules("http://x/a")
    assert len(server.asked) == 3


async def test_a_blocked_host_denies_everything() -> None:
    server = _Server(robots_txt=OcdError("domain_blocked", "no"))
    rules = await Robots(server).rules("http://x/a")
    assert not rules.allows("http://x/a")
    assert "may not be fetched" in rules.denied


async def test_only_the_first_half_megabyte_counts() -> None:
    rules = await _rules("# " + "x" * 512_000 + "\nUser-agent: *\nDisallow: /\n")
    assert rules.allows("http://x/a")


async def test_files_have_no_rules() -> None:
    assert (await Robots(_Server()).rules("file:///a")).allows("file:///a")
