"""The pages of the task sites: a shop, a wiki and an application form, as text."""

# ruff: noqa: E501 - HTML reads better in whole lines

from __future__ import annotations

from html import escape

ITEMS: list[dict[str, object]] = [
    {"id": n, "name": name, "price": price, "kind": kind, "stock": stock}
    for n, (name, price, kind, stock) in enumerate(
        [
            ("Blue mug", 9, "Kitchen", True), ("Red mug", 12, "Kitchen", True),
            ("Travel mug", 19, "Kitchen", False), ("Tea pot", 34, "Kitchen", True),
            ("Desk lamp", 45, "Office", True), ("Paper clips", 2, "Office", True),
            ("Notebook", 6, "Office", True), ("Stapler", 11, "Office", False),
            ("Wool socks", 14, "Clothing", True), ("Rain coat", 80, "Clothing", True),
        ],
        1,
    )
]  # fmt: skip


def page(title: str, body: str, script: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        "<style>.card{border:1px solid;padding:6px;margin:4px} .error{color:#b00} [hidden]"
        f"{{display:none}}</style></head><body>{body}<script>{script}</script></body></html>"
    )


def _head(count: int) -> str:
    return (
        '<header><a href="/shop">Shop</a> <form role="search" action="/shop"><input name="q" '
        'type="search" aria-label="Search products"><button>Search</button></form> '
        f'<a href="/shop/cart">Cart (<span id="count">{count}</span>)</a> '
        '<a href="/shop/orders">My orders</a></header>'
    )


_ADD = """document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-add]');
  if (!button) return;
  const amount = document.querySelector('#amount')?.value || 1;
  const reply = await fetch('/shop/add', { method: 'POST', body: new URLSearchParams({ id: button.dataset.add, amount }) });
  document.querySelector('#count').textContent = (await reply.json()).count;
  document.querySelector('#said').textContent = button.dataset.name + ' was added to the cart';
});"""


def shop(items: list[dict[str, object]], query: dict[str, str], count: int) -> str:
    sorts = {
        "": "Featured",
        "low": "Price: low to high",
        "high": "Price: high to low",
        "name": "Name",
    }
    options = "".join(
        f'<option value="{key}"{" selected" * (query.get("sort", "") == key)}>{text}</option>'
        for key, text in sorts.items()
    )
    cards = "".join(
        f'<li class="card"><h3><a href="/shop/item/{one["id"]}">{one["name"]}</a></h3>'
        f"<p>${one['price']} · {one['kind']} · {'In stock' if one['stock'] else 'Sold out'}</p>"
        f'<button data-add="{one["id"]}" data-name="{one["name"]}"'
        f"{'' if one['stock'] else ' disabled'}>Add to cart</button></li>"
        for one in items
    )
    kinds = "".join(
        f'<li><a href="/shop?kind={kind}">{kind}</a></li>'
        for kind in ("Kitchen", "Office", "Clothing")
    )
    filters = (
        f'<form id="filters" action="/shop"><input type="hidden" name="q" '
        f'value="{escape(query.get("q", ""))}"><label>Sort by <select name="sort" '
        f'onchange="this.form.requestSubmit()">{options}</select></label> <label>Most dollars '
        f'<input type="number" name="most" value="{escape(query.get("most", ""))}"></label> '
        f'<label><input type="checkbox" name="stock"{" checked" * ("stock" in query)}> '
        "In stock only</label> <button>Apply filters</button></form>"
    )
    body = (
        f'{_head(count)}<nav aria-label="Departments"><ul>{kinds}</ul></nav><main><h1>Products</h1>'
        f'{filters}<p>{len(items)} products</p><ul>{cards}</ul><output id="said"></output></main>'
    )
    return page("Shop", body, _ADD)


def item(one: dict[str, object], count: int) -> str:
    body = (
        f"{_head(count)}<main><h1>{one['name']}</h1><p>${one['price']}</p>"
        '<label>Quantity <input type="number" id="amount" value="1" min="1"></label> '
        f'<button data-add="{one["id"]}" data-name="{one["name"]}">Add to cart</button>'
        '<output id="said"></output></main>'
    )
    return page(str(one["name"]), body, _ADD)


def cart(lines: list[tuple[dict[str, object], int]]) -> str:
    rows = "".join(
        f"<tr><td>{one['name']}</td><td>{amount}</td><td>${int(str(one['price'])) * amount}</td>"
        f'<td><form method="post" action="/shop/remove"><input type="hidden" name="id" '
        f'value="{one["id"]}"><button>Remove</button></form></td></tr>'
        for one, amount in lines
    )
    total = sum(int(str(one["price"])) * amount for one, amount in lines)
    body = (
        f"{_head(sum(amount for _, amount in lines))}<main><h1>Cart</h1><table><tbody>{rows}</tbody>"
        f'</table><p>Total: ${total}</p><a href="/shop/checkout">Proceed to checkout</a></main>'
    )
    return page("Cart", body)


CHECKOUT = page(
    "Checkout",
    _head(0)
    + """<main><h1>Checkout</h1><form id="form" novalidate>
<label>Full name <input name="name" required></label><p class="error" id="name-error"></p>
<label>E-mail <input name="email" type="email" required></label><p class="error" id="email-error"></p>
<label>Country <select name="country" required><option value="">Choose</option><option>Korea</option><option>France</option></select></label>
<label>Region <select name="region" required disabled><option value="">Choose</option></select></label>
<fieldset><legend>Delivery</legend><label><input type="radio" name="way" value="post" checked> Standard</label><label><input type="radio" name="way" value="fast"> Express</label></fieldset>
<label>Card number <input name="card" inputmode="numeric" required></label><p class="error" id="card-error"></p>
<label><input type="checkbox" name="terms" required> I accept the terms</label><p class="error" id="terms-error"></p>
<button>Place order</button></form></main>""",
    """const regions = { Korea: ['Seoul', 'Busan'], France: ['Paris', 'Lyon'] };
form.country.onchange = async () => {
  await fetch('/json?ms=150');
  form.region.replaceChildren(...['Choose', ...regions[form.country.value]].map((one, at) => new Option(one, at ? one : '')));
  form.region.disabled = false;
};
form.onsubmit = async (event) => {
  event.preventDefault();
  const bad = { name: !form.name.value && 'Name is needed', email: !/^\\S+@\\S+$/.test(form.email.value) && 'E-mail is not valid',
    card: !/^\\d{16}$/.test(form.card.value.replaceAll(' ', '')) && 'Card number has 16 digits', terms: !form.terms.checked && 'Terms must be accepted' };
  for (const [name, text] of Object.entries(bad)) document.querySelector('#' + name + '-error').textContent = text || '';
  if (Object.values(bad).some(Boolean) || !form.region.value) return;
  const reply = await fetch('/shop/order', { method: 'POST', body: new FormData(form) });
  location.href = '/shop/orders/' + (await reply.json()).id;
};""",
)


def orders(rows: list[dict[str, str]]) -> str:
    cells = "".join(
        f"<tr><td>{row['id']}</td><td>{row['date']}</td><td>${row['total']}</td>"
        f'<td>{row["status"]}</td><td><a href="/shop/orders/{row["id"]}">View</a></td></tr>'
        for row in rows
    )
    head = "<tr><th>Order</th><th>Date</th><th>Total</th><th>Status</th><th></th></tr>"
    body = f"{_head(0)}<main><h1>My orders</h1><table>{head}{cells}</table></main>"
    return page("My orders", body)


def order(row: dict[str, str]) -> str:
    lines = "".join(f"<li>{key}: {escape(value)}</li>" for key, value in row.items())
    return page(
        f"Order {row['id']}", f"{_head(0)}<main><h1>Order {row['id']}</h1><ul>{lines}</ul></main>"
    )


def wiki(title: str, text: str, tab: str = "") -> str:
    name = title.replace(" ", "_")
    body = (
        '<header><a href="/wiki/Main_Page">Wiki</a><form role="search" action="/wiki-search">'
        '<input name="search" type="search" aria-label="Search wiki"><button>Go</button></form></header>'
        f'<nav aria-label="Page"><a href="/wiki/{name}">Read</a> <a href="/wiki/{name}?action=edit">'
        f'Edit</a> <a href="/wiki/{name}?action=history">View history</a></nav><main><h1>'
        f"{escape(title)}</h1>{tab or text}</main>"
    )
    return page(f"{title} - Wiki", body)


def edit(title: str, text: str) -> str:
    form = (
        f'<form method="post"><label>Text <textarea name="text" rows="8">{escape(text)}</textarea>'
        '</label><label>Summary <input name="summary"></label><label><input type="checkbox" '
        'name="minor"> This is a minor edit</label><button>Save changes</button> '
        "<button type=button>Show preview</button></form>"
    )
    return wiki(title, "", form)


APPLY = page(
    "Application",
    """<main><h1>Application</h1><p id="where">Step 1 of 3</p><form id="form" onsubmit="return false">
<section data-step="1"><label>Family name <input name="family" required></label><label>Given name <input name="given" required></label>
<label>Date of birth <input type="date" name="born" required></label><label>Nationality <select name="nation"><option value="">Choose</option><option>Korean</option><option>French</option></select></label>
<button type="button" class="next">Continue</button></section>
<section data-step="2" hidden><fieldset><legend>Situation</legend><label><input type="radio" name="situation" value="work"> Employed</label><label><input type="radio" name="situation" value="study"> Student</label></fieldset>
<p data-if="work" hidden><label>Company <input name="company"></label></p><p data-if="study" hidden><label>School <input name="school"></label><label>Final year <input name="year" type="number"></label></p>
<label>Hours a week <input type="range" name="hours" min="0" max="60"></label><label>About you <textarea name="about"></textarea></label>
<button type="button" class="back">Back</button><button type="button" class="next">Continue</button></section>
<section data-step="3" hidden><h2>Check your answers</h2><dl id="review"></dl><label><input type="checkbox" name="true"> All of this is true</label>
<button type="button" class="back">Back</button><button id="send" disabled>Send application</button></section></form><p id="done"></p></main>""",
    """let step = 1;
const show = (number) => { step = number; for (const one of document.querySelectorAll('[data-step]')) one.hidden = one.dataset.step != step;
  where.textContent = 'Step ' + step + ' of 3'; history.pushState({ step }, '', '#step' + step);
  if (step === 3) review.innerHTML = [...new FormData(form)].map(([k, v]) => '<dt>' + k + '</dt><dd></dd>').join(''), [...new FormData(form)].forEach(([, v], at) => { review.querySelectorAll('dd')[at].textContent = v; }); };
for (const one of document.querySelectorAll('.next')) one.onclick = () => {
  const bad = [...one.closest('section').querySelectorAll('input,select')].find((field) => !field.checkValidity());
  if (bad) { bad.reportValidity(); where.textContent = 'Step ' + step + ' of 3: ' + bad.labels[0].textContent.trim() + ' is missing'; } else show(step + 1); };
for (const one of document.querySelectorAll('.back')) one.onclick = () => show(step - 1);
for (const one of form.situation) one.onchange = () => { for (const part of document.querySelectorAll('[data-if]')) part.hidden = part.dataset.if !== one.value; };
form['true'].onchange = () => { send.disabled = !form['true'].checked; };
send.onclick = async () => { const reply = await fetch('/apply/send', { method: 'POST', body: new FormData(form) }); done.textContent = 'Your number is ' + (await reply.json()).number; };""",
)
