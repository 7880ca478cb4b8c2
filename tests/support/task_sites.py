"""A shop, a wiki and an application form on which whole tasks are done, with what they keep."""

from __future__ import annotations

from dataclasses import dataclass, field

from aiohttp import web

from support import task_pages


def _orders() -> list[dict[str, str]]:
    return [
        {"id": "1001", "date": "2031-01-05", "total": "43", "status": "Delivered"},
        {"id": "1002", "date": "2031-02-11", "total": "80", "status": "Cancelled"},
        {"id": "1003", "date": "2031-03-20", "total": "12", "status": "Shipped"},
    ]


def _articles() -> dict[str, list[tuple[str, str]]]:
    return {
        "Main Page": [("", 'Welcome. Read about <a href="/wiki/Cape_Ambler">Cape Ambler</a>.')],
        "Cape Ambler": [
            ("start", "A cape with a lighthouse."),
            ("height", 'A cape. Its <a href="/wiki/Lighthouse">lighthouse</a> is 41 metres high.'),
        ],
        "Lighthouse": [("", "A tower with a lamp. The keeper is Ada.")],
    }


@dataclass
class SiteRecords:
    """What the task sites remember; `forget` between tests."""

    cart: dict[int, int] = field(default_factory=dict)
    orders: list[dict[str, str]] = field(default_factory=_orders)
    articles: dict[str, list[tuple[str, str]]] = field(default_factory=_articles)
    applications: list[dict[str, str]] = field(default_factory=list)

    def forget(self) -> None:
        """Start over."""
        self.__init__()  # type: ignore[misc]


RECORDS: web.AppKey[SiteRecords] = web.AppKey("records", SiteRecords)


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


async def shop(request: web.Request) -> web.Response:
    query = dict(request.query)
    found = [
        one
        for one in task_pages.ITEMS
        if query.get("q", "").lower() in str(one["name"]).lower()
        and query.get("kind", one["kind"]) == one["kind"]
        and int(str(one["price"])) <= int(query.get("most") or 10**6)
        and (one["stock"] or "stock" not in query)
    ]
    way = query.get("sort", "")
    if way in ("low", "high"):
        found.sort(key=lambda one: int(str(one["price"])), reverse=way == "high")
    elif way == "name":
        found.sort(key=lambda one: str(one["name"]))
    return _html(task_pages.shop(found, query, sum(request.app[RECORDS].cart.values())))


async def item(request: web.Request) -> web.Response:
    one = task_pages.ITEMS[int(request.match_info["id"]) - 1]
    return _html(task_pages.item(one, sum(request.app[RECORDS].cart.values())))


async def add(request: web.Request) -> web.Response:
    data, cart = await request.post(), request.app[RECORDS].cart
    number = int(str(data["id"]))
    cart[number] = cart.get(number, 0) + int(str(data["amount"]))
    return web.json_response({"count": sum(cart.values())})


async def remove(request: web.Request) -> web.Response:
    request.app[RECORDS].cart.pop(int(str((await request.post())["id"])), None)
    raise web.HTTPSeeOther("/shop/cart")


async def cart(request: web.Request) -> web.Response:
    records = request.app[RECORDS].cart
    return _html(task_pages.cart([(task_pages.ITEMS[n - 1], much) for n, much in records.items()]))


async def checkout(_request: web.Request) -> web.Response:
    return _html(task_pages.CHECKOUT)


async def place(request: web.Request) -> web.Response:
    records, data = request.app[RECORDS], await request.post()
    total = sum(
        int(str(task_pages.ITEMS[n - 1]["price"])) * much for n, much in records.cart.items()
    )
    row = {"id": str(1001 + len(records.orders)), "date": "2031-04-01", "total": str(total)}
    shown = {key: str(value) for key, value in data.items() if key != "card"}
    records.orders.append({**row, "status": "Placed", **shown})
    records.cart.clear()
    return web.json_response({"id": row["id"]})


async def orders(request: web.Request) -> web.Response:
    return _html(task_pages.orders(request.app[RECORDS].orders))


async def order(request: web.Request) -> web.Response:
    rows = request.app[RECORDS].orders
    return _html(task_pages.order(next(r for r in rows if r["id"] == request.match_info["id"])))


async def wiki(request: web.Request) -> web.Response:
    title = request.match_info["title"].replace("_", " ")
    revisions = request.app[RECORDS].articles.setdefault(title, [])
    if request.method == "POST":
        data = await request.post()
        revisions.append((str(data["summary"]), str(data["text"])))
        raise web.HTTPSeeOther(request.path)
    text = revisions[-1][1] if revisions else "There is no such page yet."
    action = request.query.get("action")
    if action == "edit":
        return _html(task_pages.edit(title, revisions[-1][1] if revisions else ""))
    if action == "history":
        rows = "".join(f"<li>Revision {n}: {why}</li>" for n, (why, _) in enumerate(revisions, 1))
        return _html(task_pages.wiki(title, "", f"<h2>History</h2><ol>{rows}</ol>"))
    return _html(task_pages.wiki(title, text))


async def wiki_search(request: web.Request) -> web.Response:
    words = request.query["search"].lower()
    articles = request.app[RECORDS].articles
    exact = next((title for title in articles if title.lower() == words), None)
    if exact:
        raise web.HTTPFound(f"/wiki/{exact.replace(' ', '_')}")
    hits = [title for title, all_ in articles.items() if words in all_[-1][1].lower()]
    links = "".join(f'<li><a href="/wiki/{one.replace(" ", "_")}">{one}</a></li>' for one in hits)
    return _html(task_pages.wiki("Search results", f"<ul>{links}</ul>"))


async def apply(_request: web.Request) -> web.Response:
    return _html(task_pages.APPLY)


async def send(request: web.Request) -> web.Response:
    records, data = request.app[RECORDS], await request.post()
    records.applications.append({key: str(value) for key, value in data.items()})
    return web.json_response({"number": f"A-{len(records.applications)}"})


ROUTES = [
    web.get("/shop", shop), web.get("/shop/item/{id}", item), web.post("/shop/add", add),
    web.post("/shop/remove", remove), web.get("/shop/cart", cart),
    web.get("/shop/checkout", checkout), web.post("/shop/order", place),
    web.get("/shop/orders", orders), web.get("/shop/orders/{id}", order),
    web.get("/wiki/{title}", wiki), web.post("/wiki/{title}", wiki),
    web.get("/wiki-search", wiki_search), web.get("/apply", apply), web.post("/apply/send", send),
]  # fmt: skip
