"""A tab's emulation: screen, user agent, geolocation. It lasts as long as the tab.

Tabs that it opens inherit it from their first request on, and are independent afterwards.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.emulation import devices
from ocd.browser.emulation.devices import Device
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of


@dataclass(slots=True)
class EmulationOverrides:
    """CDP's parameters of each override, empty if not set; origins allowed to read the position.

    device_agent: whether the user agent was set with the screen, and is reset with it.
    """

    agent: dict[str, Any] = field(default_factory=dict)
    device_agent: bool = False
    touch: bool = False
    metrics: dict[str, Any] = field(default_factory=dict)
    place: dict[str, Any] = field(default_factory=dict)
    granted: set[str] = field(default_factory=set)


class Emulation:
    """One tab's overrides; they apply to its out-of-process frames, too, present and future."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.overrides = EmulationOverrides()
        tab.events.on("session", self._on_session)
        tab.events.on("closed", self._on_tab_closed)

    def _on_session(self, cdp: CdpSession) -> None:
        # Before its first script: the target is still paused.
        if self.overrides.agent:
            cdp.send_nowait("Emulation.setUserAgentOverride", self.overrides.agent)
        if self.overrides.touch:
            cdp.send_nowait(
                "Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5}
            )
        if cdp is self._tab.cdp and self.overrides.metrics:
            cdp.send_nowait("Emulation.setDeviceMetricsOverride", self.overrides.metrics)
        if cdp is self._tab.cdp and self.overrides.place:
            cdp.send_nowait("Emulation.setGeolocationOverride", self.overrides.place)

    def apply_again(self) -> None:
        """Set all overrides again, after another program's overrides have replaced them."""
        for cdp in self._tab.sessions:
            self._on_session(cdp)

    # Screen

    async def set_device(self, device: Device, agent: str = "") -> str:
        """Emulate this screen, and the user agent if one is given; return the agent's string."""
        self.overrides.metrics = {
            "width": device.width, "height": device.height, "mobile": device.mobile,
            "deviceScaleFactor": device.scale,
            "screenWidth": device.width, "screenHeight": device.height,
            "screenOrientation": _orientation(device),
        }  # fmt: skip
        await self._tab.cdp.send("Emulation.setDeviceMetricsOverride", self.overrides.metrics)
        await self._set_touch(on=device.touch)
        text = agent or await self.agent_text(device.agent)
        if text:
            await self._set_agent(devices.override(text, device.model))
        elif self.overrides.device_agent:
            await self._set_agent({})
        self.overrides.device_agent = bool(text)
        return text

    async def clear_device(self) -> None:
        """Undo `set_device`, including the user agent it set."""
        self.overrides.metrics = {}
        await self._tab.cdp.send("Emulation.clearDeviceMetricsOverride")
        await self._set_touch(on=False)
        if self.overrides.device_agent:
            await self._set_agent({})

    async def _set_touch(self, *, on: bool) -> None:
        self.overrides.touch = on
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

    async def set_user_agent(self, text: str, languages: str = "") -> dict[str, Any]:
        """Use this user agent string from now on; return the client hints, if any."""
        params = devices.override(text)
        if languages:
            params["acceptLanguage"] = languages
        await self._set_agent(params)
        self.overrides.device_agent = False
        hints: dict[str, Any] = params.get("userAgentMetadata", {})
        return hints

    async def reset_user_agent(self) -> str:
        """Reset the user agent; return Chromium's own string."""
        await self._set_agent({})
        version = await self._tab.cdp.connection.send("Browser.getVersion")
        return str(version["userAgent"])

    async def _set_agent(self, params: dict[str, Any]) -> None:
        self.overrides.agent = params
        self.overrides.device_agent = False
        for cdp in self._tab.sessions:
            await cdp.send("Emulation.setUserAgentOverride", params or {"userAgent": ""})

    # Place

    async def set_geolocation(
        self, latitude: float, longitude: float, accuracy: float, url: str
    ) -> str:
        """Report this position, and permit it to the pages of `url`'s origin; return the origin.

        Without a web address no page is permitted, and the origin is empty.
        """
        self.overrides.place = {"latitude": latitude, "longitude": longitude, "accuracy": accuracy}
        await self._tab.cdp.send("Emulation.setGeolocationOverride", self.overrides.place)
        origin = origin_of(url)
        if origin:
            await self._permit(origin, "granted")
            self.overrides.granted.add(origin)
        return origin

    async def clear_geolocation(self) -> list[str]:
        """Undo `set_geolocation`; return the origins that lost permission."""
        self.overrides.place = {}
        await self._tab.cdp.send("Emulation.clearGeolocationOverride")
        granted = self._release_origins()
        for origin in granted:
            await self._permit(origin, "denied")
        return granted

    def _release_origins(self) -> list[str]:
        """Return the origins that no other tab permits, and permit none in this tab."""
        all_of_them = (tab.state(Emulation) for tab in self._tab.all_tabs())
        others = (other.overrides.granted for other in all_of_them if other and other is not self)
        granted = sorted(self.overrides.granted.difference(*others))
        self.overrides.granted.clear()
        return granted

    async def _permit(self, origin: str, setting: str) -> None:
        await self._tab.cdp.connection.send("Browser.setPermission", _permission(origin, setting))

    def _on_tab_closed(self) -> None:
        # A page of the origin that asks in another tab must not wait forever for a position.
        connection = self._tab.cdp.parent
        for origin in self._release_origins():
            if connection is not None:
                connection.send_nowait("Browser.setPermission", _permission(origin, "denied"))


def _permission(origin: str, setting: str) -> dict[str, Any]:
    return {"permission": {"name": "geolocation"}, "origin": origin, "setting": setting}


def _orientation(device: Device) -> dict[str, Any]:
    if device.width > device.height:
        return {"type": "landscapePrimary", "angle": 90 if device.mobile else 0}
    return {"type": "portraitPrimary", "angle": 0}


def inherit(tab: Tab, opener: Tab) -> None:
    """Give a tab that has not started yet its opener's emulation."""
    opener_emulation = opener.state(Emulation)
    if opener_emulation is not None:
        emulation_of(tab).overrides = replace(
            opener_emulation.overrides, granted=set(opener_emulation.overrides.granted)
        )


def emulation_of(tab: Tab) -> Emulation:
    """Return the tab's emulation."""
    return tab.state(Emulation) or tab.set_state(Emulation(tab))
