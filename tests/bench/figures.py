"""Figures of one section: rows of a table, each with the bound that it must keep."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Section:
    """A titled table: name, figure, unit, and what the figure is compared with."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(
        self, name: str, figure: float, unit: str, *, bound: str = "", holds: bool | None = None
    ) -> None:
        """Add a row; `holds`: whether the bound was met."""
        verdict = "" if holds is None else ("yes" if holds else "**no**")
        self.rows.append((name, f"{figure:.4g} {unit}".strip(), bound, verdict))

    def at_least(self, name: str, figure: float, bound: float, unit: str = "×") -> None:
        """Add a row that must be at least `bound`."""
        self.add(name, figure, unit, bound=f"≥ {bound:g} {unit}", holds=figure >= bound)

    def at_most(self, name: str, figure: float, bound: float, unit: str = "×") -> None:
        """Add a row that must be at most `bound`."""
        self.add(name, figure, unit, bound=f"≤ {bound:g} {unit}", holds=figure <= bound)

    def table(self) -> str:
        """Return the rows as a Markdown table."""
        head = "| what | figure | bound | kept |\n|---|---|---|---|\n"
        return head + "\n".join(f"| {' | '.join(row)} |" for row in self.rows)


def median(values: list[float]) -> float:
    """Return the median."""
    return statistics.median(values)
