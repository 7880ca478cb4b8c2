"""Verbs that make a tab look like another device, browser or place."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.emulation.devices import AGENTS, DEVICES, PLACES, Device
from ocd.browser.emulation.emulation import emulation_of
from ocd.browser.tabs.tab import Tab
from ocd.safety.session_taint import ANY_SITE, Egress
from ocd.verb_api.declaration import UNLISTED, Output, Params, Sending, tab_verb

DevicePreset = Literal[
    "iphone-14", "iphone-14-pro-max", "iphone-se", "ipad-pro", "ipad-mini", "pixel-7", "galaxy-s21",
    "galaxy-fold", "desktop-1080p", "desktop-1440p", "desktop-4k", "laptop-13", "laptop-15",
]  # fmt: skip
AgentPreset = Literal[
    "chrome-windows", "chrome-mac", "firefox-windows", "firefox-mac", "safari-mac",
    "safari-iphone", "safari-ipad", "chrome-android", "googlebot", "bingbot",
]  # fmt: skip
PlacePreset = Literal[
    "seoul", "tokyo", "new-york", "london", "san-francisco", "sydney", "paris", "berlin",
    "singapore", "beijing",
]  # fmt: skip
Reset = Annotated[bool, Meta(description="Undo it")]


class EmulateDevice(Params):
    """Emulate a device's screen, touch and user agent

    Pass a preset, or width and height; explicit values override the preset's. Lasts until reset or
    the tab is closed. Reload so that the server sees it.
    """

    preset: Annotated[DevicePreset | None, Meta(description="Device")] = None
    width: Annotated[
        Annotated[int, Meta(ge=50, le=10_000)] | None, Meta(description="CSS pixels")
    ] = None
    height: Annotated[
        Annotated[int, Meta(ge=50, le=10_000)] | None, Meta(description="CSS pixels")
    ] = None
    device_scale_factor: Annotated[
        Annotated[float, Meta(ge=0.1, le=10)] | None,
        Meta(description="Pixel ratio; default: 1"),
    ] = None
    is_mobile: Annotated[bool | None, Meta(description="Mobile viewport rules")] = None
    has_touch: Annotated[bool | None, Meta(description="Touch events")] = None
    landscape: Annotated[bool, Meta(description="Landscape orientation")] = False
    user_agent: Annotated[str | None, Meta(description="Overrides the device's")] = None
    reset: Reset = False


def _device_egress(params: EmulateDevice, _tab_url: str) -> Iterator[Egress]:
    if params.user_agent and not params.reset:
        yield "request", ANY_SITE


class Viewport(TypedDict):
    """The screen that the page sees."""

    width: int
    height: int
    device_scale_factor: float
    is_mobile: bool
    has_touch: bool


class EmulateDeviceResult(TypedDict):
    """The emulated device."""

    tab_id: str
    device: str | None
    viewport: NotRequired[Viewport]
    user_agent: NotRequired[str]
    message: NotRequired[str]
    reset: NotRequired[bool]


@tab_verb(
    "emulate_device", EmulateDevice,
    returns=EmulateDeviceResult,
    capability="core", tier=3, leaves_dialog=True,
    sends=Sending(("user_agent",), _device_egress),
    example={"preset": "iphone-14"},
)  # fmt: skip
async def emulate_device(tab: Tab, params: EmulateDevice) -> Output:
    emulation = emulation_of(tab)
    if params.reset:
        await emulation.clear_device()
        return Output(data={"tab_id": tab.id, "device": None, "reset": True})
    device = _device(params)
    agent = await emulation.set_device(device, params.user_agent or "")
    viewport = {
        "width": device.width, "height": device.height, "device_scale_factor": device.scale,
        "is_mobile": device.mobile, "has_touch": device.touch,
    }  # fmt: skip
    result: dict[str, Any] = {"device": params.preset or "custom", "viewport": viewport}
    result["message"] = f"Shown as {result['device']}; reload so that the server sees it"
    return Output(data={"tab_id": tab.id, **result, **({"user_agent": agent} if agent else {})})


def _device(params: EmulateDevice) -> Device:
    if params.preset:
        device = DEVICES[params.preset]
    elif params.width and params.height:
        device = Device(params.width, params.height)
    else:
        raise OcdError(
            "invalid_argument", "emulate_device needs a preset, or width and height",
            hint="Undo it with reset=true.", parameter="width" if params.height else "height",
        )  # fmt: skip
    overrides: dict[str, Any] = {
        "width": params.width, "height": params.height, "scale": params.device_scale_factor,
        "mobile": params.is_mobile, "touch": params.has_touch,
    }  # fmt: skip
    device = replace(
        device, **{name: value for name, value in overrides.items() if value is not None}
    )
    if params.landscape and device.height > device.width:
        device = replace(device, width=device.height, height=device.width)
    return device


class UserAgent(Params):
    """Override the user agent, with matching client hints

    Pass a preset or custom text. Reload so that the server sees it.
    """

    preset: Annotated[AgentPreset | None, Meta(description="Browser")] = None
    custom: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)] | None,
        Meta(description="User agent string"),
    ] = None
    accept_language: Annotated[
        str,
        Meta(extra_json_schema=UNLISTED, description="Accept-Language, for example ko-KR,ko;q=0.9"),
    ] = ""
    reset: Reset = False


def _user_agent_egress(params: UserAgent, _tab_url: str) -> Iterator[Egress]:
    if (params.custom or params.accept_language) and not params.reset:
        yield "request", ANY_SITE


class ClientHints(TypedDict):
    """What the page sees besides the user agent."""

    brands: list[dict[str, str]]
    platform: str
    mobile: bool


class UserAgentResult(TypedDict):
    """The user agent that the tab has now."""

    tab_id: str
    preset: str | None
    user_agent: str
    message: NotRequired[str]
    client_hints: NotRequired[ClientHints]
    reset: NotRequired[bool]


@tab_verb(
    "user_agent", UserAgent,
    returns=UserAgentResult,
    capability="core", tier=3, leaves_dialog=True,
    sends=Sending(("custom", "accept_language"), _user_agent_egress),
    example={"preset": "safari-mac"},
)  # fmt: skip
async def user_agent(tab: Tab, params: UserAgent) -> Output:
    emulation = emulation_of(tab)
    if params.reset:
        agent = await emulation.reset_user_agent()
        return Output(data={"tab_id": tab.id, "preset": None, "user_agent": agent, "reset": True})
    if (params.preset is None) == (params.custom is None):
        raise OcdError(
            "invalid_argument", "user_agent needs exactly one of preset and custom",
            hint=f"Presets: {', '.join(AGENTS)}.", parameter="preset",
        )  # fmt: skip
    if params.custom is not None and not params.custom.isprintable():
        message = "custom: a user agent cannot contain line breaks or control characters"
        raise OcdError("invalid_argument", message, parameter="custom")
    agent = params.custom or await emulation.agent_text(params.preset or "")
    hints = await emulation.set_user_agent(agent, params.accept_language)
    data: dict[str, Any] = {"preset": params.preset or "custom", "user_agent": agent}
    data["message"] = "Reload so that the server sees it"
    if hints:
        data["client_hints"] = {
            "brands": hints["brands"], "platform": hints["platform"], "mobile": hints["mobile"],
        }  # fmt: skip
    return Output(data={"tab_id": tab.id, **data})


class Geolocation(Params):
    """Override the position that pages see

    Also allows the page's origin to read it, until reset or the tab is closed.
    """

    preset: Annotated[PlacePreset | None, Meta(description="City")] = None
    latitude: Annotated[
        Annotated[float, Meta(ge=-90, le=90)] | None, Meta(description="Degrees north")
    ] = None
    longitude: Annotated[
        Annotated[float, Meta(ge=-180, le=180)] | None, Meta(description="Degrees east")
    ] = None
    accuracy: Annotated[float, Meta(gt=0, le=1e7, description="Accuracy in metres")] = 100
    origin: Annotated[
        str | None,
        Meta(description="Origin to allow, e.g. https://a.com; default: the page's"),
    ] = None
    reset: Reset = False


class GeolocationResult(TypedDict):
    """The position that pages see."""

    tab_id: str
    preset: NotRequired[str | None]
    latitude: NotRequired[float]
    longitude: NotRequired[float]
    accuracy: NotRequired[float]
    location_name: NotRequired[str | None]
    granted: NotRequired[Annotated[str | None, Meta(description="The origin that may read it")]]
    denied: NotRequired[Annotated[list[str], Meta(description="reset: origins no longer allowed")]]
    message: NotRequired[str]
    reset: NotRequired[bool]


@tab_verb(
    "geolocation",
    Geolocation,
    returns=GeolocationResult,
    capability="core",
    tier=3,
    leaves_dialog=True,
    example={"latitude": 52.52, "longitude": 13.405},
)
async def geolocation(tab: Tab, params: Geolocation) -> Output:
    emulation = emulation_of(tab)
    if params.reset:
        origins = await emulation.clear_geolocation()
        return Output(data={"tab_id": tab.id, "reset": True, "denied": origins})
    name, latitude, longitude = _place(params)
    url = params.origin or tab.url
    if params.origin is not None:
        tab.guard.policy.check(params.origin)
    granted = await emulation.set_geolocation(latitude, longitude, params.accuracy, url)
    data: dict[str, Any] = {
        "tab_id": tab.id, "preset": params.preset, "latitude": latitude, "longitude": longitude,
        "accuracy": params.accuracy, "location_name": name, "granted": granted or None,
        "message": f"Pages now see {latitude}, {longitude}",
    }  # fmt: skip
    if not granted:
        data["message"] = (
            "No web page is open, so no origin is allowed yet: call geolocation again on the page."
        )
    return Output(data=data)


def _place(params: Geolocation) -> tuple[str, float, float]:
    if params.preset is not None:
        return PLACES[params.preset]
    if params.latitude is None or params.longitude is None:
        missing = "latitude" if params.latitude is None else "longitude"
        raise OcdError(
            "invalid_argument", "geolocation needs a preset, or latitude and longitude",
            hint=f"Presets: {', '.join(PLACES)}.", parameter=missing,
        )  # fmt: skip
    return "custom", params.latitude, params.longitude
