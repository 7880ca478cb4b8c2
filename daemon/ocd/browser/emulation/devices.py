"""Emulation presets, as data: devices, user agents, places."""

import re
from dataclasses import dataclass
from typing import Any

_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0"
_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5"
_WEBKIT_MOBILE = f"{_SAFARI} Mobile/15E148 Safari/604.1"

# {major} becomes the version of the running Chromium.
AGENTS = {
    "chrome-windows": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36",
    "chrome-mac": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_CHROME} Safari/537.36",
    "chrome-android": f"Mozilla/5.0 (Linux; Android 10; K) {_CHROME} Mobile Safari/537.36",
    "firefox-windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 "
    "Firefox/140.0",
    "firefox-mac": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 "
    "Firefox/140.0",
    "safari-mac": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_SAFARI} Safari/605.1.15",
    "safari-iphone": f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) {_WEBKIT_MOBILE}",
    "safari-ipad": f"Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) {_WEBKIT_MOBILE}",
    "googlebot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
}


@dataclass(frozen=True, slots=True)
class Device:
    """A device: screen size in CSS pixels, pixel ratio, touch, and user agent."""

    width: int
    height: int
    scale: float = 1
    mobile: bool = False
    touch: bool = False
    agent: str = ""
    model: str = ""


def _phone(width: int, height: int, scale: float, agent: str, model: str = "") -> Device:
    return Device(width, height, scale, mobile=True, touch=True, agent=agent, model=model)


DEVICES = {
    "iphone-14": _phone(390, 844, 3, "safari-iphone"),
    "iphone-14-pro-max": _phone(430, 932, 3, "safari-iphone"),
    "iphone-se": _phone(375, 667, 2, "safari-iphone"),
    "ipad-pro": _phone(1024, 1366, 2, "safari-ipad"),
    "ipad-mini": _phone(744, 1133, 2, "safari-ipad"),
    "pixel-7": _phone(412, 915, 2.625, "chrome-android", "Pixel 7"),
    "galaxy-s21": _phone(360, 800, 3, "chrome-android", "SM-G991B"),
    "galaxy-fold": _phone(280, 653, 3, "chrome-android", "SM-F900F"),
    "desktop-1080p": Device(1920, 1080),
    "desktop-1440p": Device(2560, 1440),
    "desktop-4k": Device(3840, 2160),
    "laptop-13": Device(1440, 900, 2),
    "laptop-15": Device(1680, 1050, 2),
}

# Name, latitude, longitude.
PLACES = {
    "seoul": ("Seoul", 37.5665, 126.9780),
    "tokyo": ("Tokyo", 35.6762, 139.6503),
    "new-york": ("New York", 40.7128, -74.0060),
    "london": ("London", 51.5074, -0.1278),
    "san-francisco": ("San Francisco", 37.7749, -122.4194),
    "sydney": ("Sydney", -33.8688, 151.2093),
    "paris": ("Paris", 48.8566, 2.3522),
    "berlin": ("Berlin", 52.5200, 13.4050),
    "singapore": ("Singapore", 1.3521, 103.8198),
    "beijing": ("Beijing", 39.9042, 116.4074),
}

# Systems that a user agent names: the word in it, navigator.platform, and the client hint.
_SYSTEMS = (
    ("Windows NT", "Win32", "Windows", "10.0.0"),
    ("iPhone", "iPhone", "iOS", "18.5"),
    ("iPad", "iPad", "iOS", "18.5"),
    ("Macintosh", "MacIntel", "macOS", "15.5.0"),
    ("Android", "Linux armv81", "Android", "10"),
    ("CrOS", "Linux x86_64", "Chrome OS", "16093.0.0"),
    ("Linux", "Linux x86_64", "Linux", ""),
)
_CHROMIUM = re.compile(r"\bChrome/(\d+)((?:\.\d+)*)")
_BRANDS = ((r"\bEdg(?:e|A)?/(\d+)", "Microsoft Edge"), (r"\bOPR/(\d+)", "Opera"))


def override(agent: str, model: str = "") -> dict[str, Any]:
    """Return CDP's parameters for using this user agent string everywhere.

    A Chromium gets client hints that agree with the string; other browsers (Firefox, Safari) send
    none, and neither does their override.
    """
    system = next((s for s in _SYSTEMS if s[0] in agent), ("", "", "", ""))
    params: dict[str, Any] = {"userAgent": agent}
    if system[1]:
        params["platform"] = system[1]
    version = _CHROMIUM.search(agent)
    if version:
        params["userAgentMetadata"] = _hints(agent, version, system, model)
    return params


def _hints(
    agent: str, version: re.Match[str], system: tuple[str, str, str, str], model: str
) -> dict[str, Any]:
    major, full = version[1], version[1] + (version[2] or ".0.0.0")
    own = next((name for pattern, name in _BRANDS if re.search(pattern, agent)), "Google Chrome")
    brands = (("Not:A-Brand", "8", "8.0.0.0"), ("Chromium", major, full), (own, major, full))
    mobile = "Mobile" in agent
    return {
        "brands": [{"brand": name, "version": short} for name, short, _ in brands],
        "fullVersionList": [{"brand": name, "version": long} for name, _, long in brands],
        "fullVersion": full,
        "platform": system[2],
        "platformVersion": system[3],
        "architecture": "" if mobile else "x86",
        "bitness": "" if mobile else "64",
        "model": model,
        "mobile": mobile,
        "wow64": False,
    }
