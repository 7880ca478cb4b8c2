"""A tab's HTML as Markdown, text, or the HTML of its main content. Pure."""

from typing import Literal

import msgspec

from ocd.content.conversion_cost import MUCH_GROWTH, growth

# A document of this size takes about 100 ms, or one of so many tags.
_COSTLY = 1_000_000
_MANY_TAGS = 30_000

Form = Literal["markdown", "text", "html"]


class PageConversion(msgspec.Struct, array_like=True):
    """How to convert the HTML. main: main content only; links: keep their URLs."""

    html: str
    form: Form
    main: bool = False
    links: bool = True

    @property
    def changes_nothing(self) -> bool:
        """Whether the result is the HTML itself."""
        return self.form == "html" and not self.main

    @property
    def is_costly(self) -> bool:
        """Whether it may take more than 100 ms, or much memory."""
        if len(self.html) >= _COSTLY or self.html.count("<") > _MANY_TAGS:
            return True
        return growth("", self.html.encode(errors="replace")) > MUCH_GROWTH


class ConvertedPage(msgspec.Struct, array_like=True):
    """The text, and by how many characters it is shorter than that of the whole page."""

    text: str
    left_out: int = 0


def convert(job: PageConversion) -> ConvertedPage:
    """Return what a reader would see, in the requested format."""
    text = _convert(job, main=job.main)
    if not job.main:
        return ConvertedPage(text)
    return ConvertedPage(text, max(len(_convert(job, main=False)) - len(text), 0))


def _convert(job: PageConversion, *, main: bool) -> str:
    from ocd.content import html_text  # the converter is for those who ask for Markdown

    if job.form == "markdown":
        return html_text.to_markdown(job.html, only_main_content=main, include_links=job.links)
    if job.form == "text":
        return html_text.to_text(job.html, only_main_content=main)
    return html_text.main_content(job.html) if main else job.html
