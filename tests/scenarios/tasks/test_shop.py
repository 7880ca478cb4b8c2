"""Tasks of a shop: search, sort, filter, cart, checkout, order history; calls are counted."""

from support.agent import Agent
from support.pages import Page

ORDER = {
    "Full name": "Ada Lovelace", "E-mail": "ada@example.org", "Country": "Korea",
    "Region": "Busan", "Express": True, "Card number": "4242 4242 4242 4242",
    "I accept the terms": True,
}  # fmt: skip


def test_cheapest_in_stock_by_one_instruction(agent: Agent) -> None:
    """Search, sort, filter and add to the cart: two calls."""
    agent.go("shop")
    result = agent.do(
        "act",
        instruction='search for mug; select "Price: low to high" in Sort by; '
        'check In stock only; click Apply filters; click the first "Add to cart" button',
    )
    assert "Blue mug was added to the cart" in result["content"]
    assert agent.records.cart == {1: 1}
    assert agent.calls == 2


def test_named_product_by_words(agent: Agent) -> None:
    """A search and a button among equal ones, named by its row: three calls."""
    agent.go("shop")
    agent.do("fill_form", fields={"Search products": "mug"}, submit=True)
    agent.do("interact", query="add to cart button red mug")
    assert agent.records.cart == {2: 1}
    assert agent.calls == 3


def test_named_product_by_ref(agent: Agent) -> None:
    """find names the rows, their refs act: a product that is sold out is refused."""
    agent.go("shop?sort=name")
    found = agent.do("find", query="add to cart button")
    lines = dict(zip(found["refs"], found["content"].splitlines(), strict=True))
    refs = {
        name: ref for ref, line in lines.items() for name in ("Stapler", "Tea pot") if name in line
    }
    agent.do("interact", ref=refs["Tea pot"])
    refused = Page(agent.daemon, agent.site).call_in_short("interact", ref=refs["Stapler"])
    assert refused.code == "not_enabled"
    assert agent.records.cart == {4: 1}
    assert agent.calls == 3


def test_quantity_of_a_product(agent: Agent) -> None:
    """Through the product's page, with an amount: two calls."""
    agent.go("shop")
    agent.do("act", instruction="click Notebook; set Quantity to 3; click Add to cart")
    assert agent.records.cart == {7: 3}
    assert agent.calls == 2


def test_line_is_removed_from_the_cart(agent: Agent) -> None:
    """One of two lines is removed by its row: two calls."""
    agent.records.cart.update({1: 1, 9: 2})
    agent.go("shop/cart")
    result = agent.do("interact", query="remove wool socks")
    assert result["changed"]["navigated"] is True
    assert agent.records.cart == {1: 1}
    assert agent.calls == 2


def test_checkout_with_a_dependent_field(agent: Agent) -> None:
    """The region's options come with the country; the order is placed in two calls."""
    agent.records.cart.update({4: 2})
    agent.go("shop/checkout")
    result = agent.do("fill_form", fields=ORDER, submit="Place order")
    assert result["changed"]["title"] == "Order 1004"
    placed = agent.records.orders[-1]
    assert [placed[key] for key in ("total", "region", "way")] == ["68", "Busan", "fast"]
    assert agent.calls == 2


def test_a_refused_checkout_says_why(agent: Agent) -> None:
    """The reply has the complaint of the form, so no reading is needed: three calls."""
    agent.records.cart.update({1: 1})
    agent.go("shop/checkout")
    refused = agent.do("fill_form", fields={**ORDER, "Card number": "1"}, submit="Place order")
    assert "Card number has 16 digits" in refused["content"]
    agent.do("fill_form", fields={"Card number": "4" * 16}, submit="Place order")
    assert agent.records.orders[-1]["name"] == "Ada Lovelace"
    assert agent.calls == 3


def test_question_about_the_order_history(agent: Agent) -> None:
    """What the cancelled order cost: two calls, and one more to open it."""
    agent.go("shop/orders")
    content = agent.do("read_page")["content"]
    line = next(line for line in content.splitlines() if "Cancelled" in line or "1002" in line)
    assert "1002" in content
    assert "$80" in content, line
    result = agent.do("act", instruction="click View for 1002")
    assert result["changed"]["title"] == "Order 1002"
    assert agent.calls == 3
