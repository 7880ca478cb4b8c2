"""Sliders that are not native inputs, moved with the arrow keys as a person would."""

import math
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.engine.internal_roles import refresh_state
from ocd.pages.locate.target import ActionDeadline, Target

_STATE = "function (...moved) { return openchrome.sliderState(this, ...moved) }"
_FOCUS = "function () { return openchrome.takeFocus(this) }"
# Keys that raise and lower a value; some sliders only support the second pair.
_KEYS = (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown"))
_MAX_PRESSES = 1000


@dataclass(slots=True)
class _Slider:
    """A slider in motion: its value, and how far a key moves it."""

    target: Target
    wanted: float
    state: dict[str, Any]
    presses: int = 0

    @property
    def tab(self) -> Tab:
        return self.target.element.tab

    @property
    def gap(self) -> float:
        """The distance to the wanted value."""
        return float(self.wanted - self.state["now"])

    async def press(self, key: str, count: int = 1, step: float | None = None) -> float:
        """Press a key `count` times, each expected to move it by `step`; return the total move."""
        before = self.state["now"]
        expected = None if step is None else before + count * step
        for _ in range(count):
            await input_events.press(self.tab, key)
        self.presses += count
        internal = self.target.about["internal"]
        if internal:
            await refresh_state(self.target.element)
        moved = () if internal else (before, expected)
        self.state = await self.target.element.call(_STATE, *moved)
        return float(self.state["now"] - before)


async def slide(target: Target, deadline: ActionDeadline, text: str) -> None:
    """Move the slider to a value; wrong_value if it does not accept it."""
    await wait_ready(target, deadline, point=False, editable=True)
    state = await target.element.call(_STATE)
    value = _number(text)
    if value is None or not state["least"] <= value <= state["most"]:
        raise _refusal(target, f"it accepts a number from {state['least']} to {state['most']}.")
    await target.element.call(_FOCUS)
    slider = _Slider(target, value, state)
    for raises, lowers in _KEYS:
        if await _approach(slider, raises, lowers, deadline):
            return
    raise _refusal(target, f"its keys leave it at {slider.state['now']}.")


async def _approach(slider: _Slider, raises: str, lowers: str, deadline: ActionDeadline) -> bool:
    """Move it by these keys; return whether it reached the value."""
    while abs(slider.gap) >= 1e-6:
        gap = slider.gap
        key = raises if gap > 0 else lowers
        step = await slider.press(key)
        if step * gap <= 0:
            return False  # it ignores the key, or moves in the other direction
        if slider.gap * gap < 0:
            return False  # its steps skip the value
        left = min(math.floor(abs(slider.gap / step) + 1e-6), _MAX_PRESSES - slider.presses)
        if left > 0:
            await slider.press(key, left, step)
        if slider.presses >= _MAX_PRESSES or not deadline.seconds_left:
            return False
    return True


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _refusal(target: Target, message: str) -> OcdError:
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    hint = "Pass one of its steps, or drag its handle: `drag_drop`."
    return OcdError("wrong_value", f"{name}: {message}", hint=hint, ref=target.ref)
