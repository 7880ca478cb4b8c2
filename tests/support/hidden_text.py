# ruff: noqa: E501 - pages, a line each
"""Pages with invisible text, each by one trick, and pages whose text only seems invisible."""

from aiohttp import web

WORD = "concealed"
_TEXT = f"<p>{WORD} orders</p>"

# name → body. A page of each is blank but for "Plain words", which stands in all of them.
HIDDEN = {
    "fill": f'<p style="-webkit-text-fill-color: transparent">{WORD} orders</p>',
    "filter": f'<div style="filter: opacity(0)">{_TEXT}</div>',
    "mask": f'<div style="mask: linear-gradient(transparent, transparent)">{_TEXT}</div>',
    "background-clip": '<p style="background: #fff; background-clip: text; color: transparent">'
    f"{WORD} orders</p>",
    "gradient-clip": '<p style="background: linear-gradient(#fff, #fefefe); color: transparent;'
    f' background-clip: text">{WORD} orders</p>',
    "translate": f'<div style="transform: translateX(-9999px)">{_TEXT}</div>',
    "translate-property": f'<div style="translate: -9999px">{_TEXT}</div>',
    "relative": f'<div style="position: relative; left: -9999px">{_TEXT}</div>',
    "scale": f'<div style="transform: scale(0)">{_TEXT}</div>',
    "small-scale": f'<div style="transform: scale(.02)">{_TEXT}</div>',
    "rotate": f'<div style="transform: rotateY(90deg)">{_TEXT}</div>',
    "rotate-property": f'<div style="rotate: y 90deg">{_TEXT}</div>',
    "zoom": f'<div style="zoom: .001">{_TEXT}</div>',
    "clip-box": f'<div style="height: 20px; overflow: hidden"><p style="margin-top: 60px">{WORD}'
    " orders</p></div>",
    "clip-indent": '<p style="overflow: hidden; white-space: nowrap; text-indent: 100%">'
    f"{WORD} orders</p>",
    "clip-y": f'<div style="height: 0; overflow-y: clip">{_TEXT}</div>',
    "clip-padding": f'<div style="height: 0; padding-top: 20px; overflow: hidden">{_TEXT}</div>',
    "clip-relative": '<div style="overflow: hidden; height: 40px"><p style="position: relative;'
    f' top: 100px">{WORD} orders</p></div>',
    "svg-opacity": f'<svg width="200" height="40"><text y="20" opacity="0">{WORD} orders</text></svg>',
    "svg-fill": f'<svg width="200" height="40"><text y="20" fill="none">{WORD} orders</text></svg>',
    "opacity": f'<div style="opacity: .01">{_TEXT}</div>',
    "nested-opacity": f'<div style="opacity: .1"><div style="opacity: .1">{_TEXT}</div></div>',
    "faint": f'<p style="color: rgb(0 0 0 / 1%)">{WORD} orders</p>',
    "near-white": f'<p style="color: #fefefe">{WORD} orders</p>',
    "near-dark": '<div style="background: #202020"><p style="color: #222; margin: 0">'
    f"{WORD} orders</p></div>",
    "canvas": f"<canvas><p>{WORD} orders</p><a href=/>{WORD} link</a></canvas>",
    "video": f"<video controls><p>{WORD} orders</p><a href=/>{WORD} link</a></video>",
    "option": f"<select><option>Plain<option hidden>{WORD} orders</select>",
    "pseudo-display": "<style>.x::before {content: 'concealed '; display: none}</style>"
    '<a class=x href="/">link</a>',
    "pseudo-visibility": "<style>.x::before {content: 'concealed '; visibility: hidden}</style>"
    '<a class=x href="/">link</a>',
    "label": '<button aria-labelledby=l>b</button><span id=l>Pay <span style="display: none">'
    f"{WORD} orders</span></span>",
    "input": f'<form><input type=hidden name=x value="{WORD} orders"></form>',
    "unslotted": '<div><template shadowrootmode="open"><slot name=a></slot></template>'
    f"<p>{WORD} orders</p>{WORD} text</div>",
}

# What only stands under or behind something: told, and said so.
COVERED = {
    "covered": '<div style="position: relative"><p>concealed orders</p><div style="position: absolute;'
    ' inset: 0; background: #fff"></div></div>',
    "covered-by-sibling": '<p>concealed orders</p><div style="position: relative; height: 40px;'
    ' margin-top: -40px; background: #fff"></div>',
    "covered-by-picture": '<div style="position: relative"><p>concealed orders</p><img alt=""'
    ' style="position: absolute; inset: 0; width: 100%; height: 100%; background: #fff"></div>',
    "covered-idly": '<div style="position: relative"><p>concealed orders</p><div style="position:'
    ' absolute; inset: 0; background: #fff; pointer-events: none"></div></div>',
    "behind": '<div style="background: #fff"><p style="position: relative; z-index: -1">'
    "concealed orders</p></div>",
}

# Text that people see, or can bring into sight with a wheel or a click.
HONEST = {
    "grey": '<p style="color: #bbb">honest words</p>',
    "pale": '<p style="color: #eee">honest words</p>',
    "on-picture": '<div style="position: relative; background: url(/dark.png) #333"><p style="color:'
    ' #fff">honest words</p></div>',
    "over-picture": '<div style="position: relative; height: 60px"><div style="position: absolute;'
    ' inset: 0; background: #000"></div><p style="position: relative; color: #fff">honest words</p>'
    "</div>",
    "picture-behind": '<div style="position: absolute; top: 0; left: 0; width: 100%; height: 200px;'
    ' background: #000; z-index: -1"></div><p style="color: #fff">honest words</p>',
    "scrolled": '<div id=box style="height: 40px; overflow: auto"><p>first</p><p>second</p>'
    "<p>honest words</p></div>",
    "scrolled-out": '<div id=box style="height: 40px; overflow: auto"><p style="transform:'
    ' translateX(1px)">honest words</p><p style="height: 3000px">long</p></div><script>'
    "box.scrollTop = 2900</script>",
    "read-more": '<div style="max-height: 40px; overflow: hidden"><p>first</p><p>second</p>'
    "<p>honest words</p></div>",
    "carousel": '<div style="overflow: hidden; width: 300px"><div style="display: flex; transform:'
    ' translateX(-900px)">'
    + "".join(f'<p style="flex: none; width: 300px">honest words {n}</p>' for n in range(4))
    + "</div></div>",
    "gradient": '<p style="background: linear-gradient(red, blue); background-clip: text;'
    ' color: transparent">honest words</p>',
    "outlined": '<p style="color: #fff; -webkit-text-stroke: 1px #000">honest words</p>',
    "shadowed": '<p style="color: #fff; text-shadow: 0 0 3px #000">honest words</p>',
    "turned": '<p style="transform: rotate(90deg) translateX(200px)">honest words</p>',
    "cube": '<div style="transform-style: preserve-3d; transform: rotateY(-90deg)">'
    '<p style="transform: rotateY(90deg)">honest words</p></div>',
    "masked": '<p style="mask: linear-gradient(#000 60%, transparent)">honest words</p>',
    "drawing": '<svg width="200" height="40"><text y="20">honest words</text></svg>',
    "dark-scheme": "<style>:root {color-scheme: dark}</style><p style='color: #fff'>honest words</p>",
    "icon-link": '<a href="/" style="display: block; width: 16px; height: 16px; overflow: hidden;'
    ' text-indent: -9999px">honest words</a>',
    "labelled": '<button><span style="position: absolute; width: 1px; height: 1px; overflow: hidden;'
    ' clip: rect(0, 0, 0, 0)">honest words</span><svg width=9 height=9></svg></button>',
    "hidden-label": "<span id=l hidden>honest words</span><button aria-labelledby=l>x</button>",
    "positioned-card": '<div style="position: relative; background: #fff"><p>honest words</p></div>',
    "sticky": '<header style="position: sticky; top: 0; background: #fff">Top</header>'
    "<p>honest words</p>",
    "veil": '<p>honest words</p><div style="position: fixed; inset: 0; background: rgb(0 0 0 / 50%)">'
    "</div>",
}


def page(body: str) -> str:
    """Return a whole page: "Plain words", then the body."""
    return f"<!doctype html><html lang=en><title>Page</title><body><p>Plain words</p>{body}</body>"


_TABLES = {"hidden": HIDDEN, "covered": COVERED, "honest": HONEST}


async def _page(request: web.Request) -> web.Response:
    body = _TABLES[request.match_info["table"]][request.match_info["name"]]
    return web.Response(text=page(body), content_type="text/html")


async def _index(request: web.Request) -> web.Response:
    names = _TABLES[request.match_info["table"]]
    links = "".join(f'<a href="{name}">{name}</a> ' for name in names)
    return web.Response(text=page(links), content_type="text/html")


ROUTES = [
    web.get("/text/{table}/", _index),
    web.get("/text/{table}/{name}", _page),
]
