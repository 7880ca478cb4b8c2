"""What a contract has to know of a page: no more than this is captured."""

from dataclasses import dataclass, field

from ocd.contracts.assertions import DomCount, DomText, ScreenshotClass
from ocd.contracts.expression import Node, leaves


@dataclass(slots=True)
class RequiredEvidence:
    """Parts of evidence by name, texts and counts by selector ("" is the whole page), classes."""

    parts: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    counts: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)

    @property
    def page(self) -> bool:
        """Whether the page itself must answer: while a dialog is open it does not."""
        slow = self.parts & {"performance", "screenshot"}
        return bool(slow or self.texts or self.counts)


def needs_of(node: Node) -> RequiredEvidence:
    """Return what the contract's leaves read."""
    needs = RequiredEvidence()
    for leaf in leaves(node):
        needs.parts |= {leaf.NEEDS} if leaf.NEEDS else set()
        if isinstance(leaf, DomText):
            needs.texts.add(leaf.selector or "")
        if isinstance(leaf, DomCount):
            needs.counts.add(leaf.selector)
        if isinstance(leaf, ScreenshotClass) and leaf.class_id:
            needs.classes.add(leaf.class_id)
    return needs
