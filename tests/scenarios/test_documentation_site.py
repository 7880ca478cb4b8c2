"""What the documentation site adds to MkDocs, in a browser."""

from pathlib import Path
from urllib.parse import quote

from support.daemon import Daemon

SCRIPT = Path(__file__).parents[2] / "docs" / "pages" / "scripts" / "copy-commands.js"
# A terminal session and a file as Pygments and the theme mark them up.
PAGE = """<!doctype html><title>Copying</title>
<pre id=session><code><span class="gp">$ </span>oc<span> </span>open<span> </span>page
<span class="go">title: Page</span>
<span class="go">status: 200</span>

<span class="gp">$ </span>oc<span> </span>close
</code></pre><button data-clipboard-target="#session &gt; code">Copy session</button>
<pre id=file><code>threshold = 30000
</code></pre><button data-clipboard-target="#file &gt; code">Copy file</button>
<script>{}</script>"""
COPIED = "Array.from(document.querySelectorAll('button'), one => one.dataset.clipboardText ?? null)"


def test_copy_button_copies_only_the_commands(one_tab_daemon: Daemon) -> None:
    """What the theme's copy button takes: its text if it has one, else what it points at."""
    assert SCRIPT.name in (SCRIPT.parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    page = PAGE.format(SCRIPT.read_text(encoding="utf-8"))
    one_tab_daemon.do("navigate", url=f"data:text/html,{quote(page)}")
    for name in ("Copy session", "Copy file"):
        one_tab_daemon.do("interact", query=name)
    copied = one_tab_daemon.do("javascript_tool", code=f"JSON.stringify({COPIED})")["content"]
    assert copied == '["oc open page\\noc close",null]'
