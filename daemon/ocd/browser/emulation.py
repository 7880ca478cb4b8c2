"""What a tab pretends to be: its screen, its user agent, its place. Lasts as long as the tab."""

from typing import Any
from weakref import WeakKeyDictionary

from yarl import URL

from ocd.browser import devices
from ocd.browser.cdp import CdpSession
from ocd.browser.devices import Device
from ocd.browser.tab import Tab


class Emulation:
    """One tab's overrides; frames of other processes, present and future, get them, too."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._agent: dict[str, Any] = {}
        self._device_agent = False
        self._touch = False
        self._granted: set[str] = set()
        tab.events.on("session", self._join)
        tab.events.on("closed", self._left)

    def _join(self, cdp: CdpSession) -> None:
        # Before its first script: the target is still halted.
        if self._agent:
            cdp.tell("Emulation.setUserAgentOverride", self._agent)
        if self._touch:
            cdp.tell("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})

    # Screen

    async def show_as(self, device: Device, agent: str = "") -> str:
        """Give the tab this screen, and the agent if there is one; return the agent's string."""
        await self._tab.cdp.send(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": device.width, "height": device.height, "mobile": device.mobile,
                "deviceScaleFactor": device.scale,
                "screenWidth": device.width, "screenHeight": device.height,
                "screenOrientation": _orientation(device),
            },
        )  # fmt: skip
        await self._set_touch(on=device.touch)
        text = agent or await self.agent_text(device.agent)
        if text:
            await self._set_agent(devices.override(text, device.model))
        elif self._device_agent:
            await self._set_agent({})
        self._device_agent = bool(text)
        return text

    async def show_as_ever(self) -> None:
        """Undo `show_as`, the agent included that came with it."""
        await self._tab.cdp.send("Emulation.clearDeviceMetricsOverride")
        await self._set_touch(on=False)
        if self._device_agent:
            await self._set_agent({})

    async def _set_touch(self, *, on: bool) -> None:
        self._touch = on
        params = {"enabled": on, **({"maxTouchPoints": 5} if on else {})}
        for cdp in self._tab.sessions:
            await cdp.send("Emulation.setTouchEmulationEnabled", params)

    # User agent

    async def agent_text(self, preset: str) -> str:
        """Return the string of a preset for the Chromium that runs; empty for none."""
        if not preset:
            return ""
        version = await self._tab.cdp.connection.send("Browser.getVersion")
        major = str(version["product"]).rpartition("/")[2].partition(".")[0]
        return devices.AGENTS[preset].format(major=major)

    async def set_agent(self, text: str, languages: str = "") -> dict[str, Any]:
        """Send and show this agent string from now on; return the client hints, if any."""
        params = devices.override(text)
        if languages:
            params["acceptLanguage"] = languages
        await self._set_agent(params)
        self._device_agent = False
        hints: dict[str, Any] = params.get("userAgentMetadata", {})
        return hints

    async def reset_agent(self) -> str:
        """Be Chromium again; return its own string."""
        await self._set_agent({})
        version = await self._tab.cdp.connection.send("Browser.getVersion")
        return str(version["userAgent"])

    async def _set_agent(self, params: dict[str, Any]) -> None:
        self._agent = params
        self._device_agent = False
        for cdp in self._tab.sessions:
            await cdp.send("Emulation.setUserAgentOverride", params or {"userAgent": ""})

    # Place

    async def be_at(self, latitude: float, longitude: float, accuracy: float, url: str) -> str:
        """Report this position, and let the pages of `url`'s origin ask for it; return the origin.

        Without an address of the web nobody may ask, and the origin is empty.
        """
        place = {"latitude": latitude, "longitude": longitude, "accuracy": accuracy}
        await self._tab.cdp.send("Emulation.setGeolocationOverride", place)
        origin = _origin(url)
        if origin:
            await self._permit(origin, "granted")
            self._granted.add(origin)
        return origin

    async def be_nowhere(self) -> list[str]:
        """Undo `be_at`; return the origins that may no longer ask."""
        await self._tab.cdp.send("Emulation.clearGeolocationOverride")
        granted = sorted(self._granted)
        for origin in granted:
            await self._permit(origin, "denied")
        self._granted.clear()
        return granted

    async def _permit(self, origin: str, setting: str) -> None:
        await self._tab.cdp.connection.send("Browser.setPermission", _permission(origin, setting))

    def _left(self) -> None:
        # A page of the origin that asks in another tab must not wait for a position for ever.
        for origin in self._granted:
            connection = self._tab.cdp.parent
            if connection is not None:
                connection.tell("Browser.setPermission", _permission(origin, "denied"))


def _permission(origin: str, setting: str) -> dict[str, Any]:
    return {"permission": {"name": "geolocation"}, "origin": origin, "setting": setting}


def _origin(url: str) -> str:
    parsed = URL(url)
    return str(parsed.origin()) if parsed.scheme in ("http", "https") else ""


def _orientation(device: Device) -> dict[str, Any]:
    if device.width > device.height:
        return {"type": "landscapePrimary", "angle": 90 if device.mobile else 0}
    return {"type": "portraitPrimary", "angle": 0}


_emulations: WeakKeyDictionary[Tab, Emulation] = WeakKeyDictionary()


def emulation_of(tab: Tab) -> Emulation:
    """Return what the tab pretends to be."""
    found = _emulations.get(tab)
    if found is None:
        found = _emulations[tab] = Emulation(tab)
    return found
