"""Words in other languages than English: negations, scripts without spaces, accents left out."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

# What is asked for, and a button that says its opposite.
OPPOSITES = {
    "保存": "不保存", "订阅": "取消订阅", "登录": "退出登录", "同意": "同意しない",
    "フォロー": "フォロー解除", "저장": "저장 안 함", "동의": "동의하지 않음", "บันทึก": "ไม่บันทึก",
    "сохранять": "Не сохранять",  # noqa: RUF001 - Cyrillic
    "блокировать": "Разблокировать", "speichern": "Nicht speichern",
    "enregistrer": "Ne pas enregistrer", "guardar": "No guardar", "accettare": "Non accettare",
    "aceitar": "Não aceitar", "opslaan": "Niet opslaan", "spara": "Spara inte",
    "zgadzam się": "Nie zgadzam się", "الحفظ": "عدم الحفظ",
}  # fmt: skip
# What is asked for, and the button that is meant.
MEANT = {
    "送信": "送信する", "حفظ": "حفظ التغييرات", "บันทึก": "บันทึกการเปลี่ยนแปลง", "저장": "저장하기",
    "Creer un compte": "Créer un compte", "munchen": "München", "strasse": "Straße",
    "WYSLIJ ZGLOSZENIE": "Wyślij zgłoszenie", "αποθήκευση": "ΑΠΟΘΗΚΕΥΣΗ",
    "Café": "Cafe", "uber": "u\u0308ber",
}  # fmt: skip


@pytest.fixture
def page(at: At) -> Page:
    return at("beside.html")


def _show(page: Page, names: list[str]) -> None:
    page.js(f"""document.body.innerHTML = '<p>张三 <span></span></p><output id=out></output>';
    for (const name of {names!r}) {{
        const button = document.createElement('button');
        button.textContent = name;
        button.onclick = () => {{ out.textContent = name; }};
        document.querySelector('span').append(button, ' ');
    }} 1""")


def test_opposites_are_shown_and_not_clicked(page: Page) -> None:
    _show(page, list(OPPOSITES.values()))
    for asked, opposite in OPPOSITES.items():
        reply = page.call("interact", query=asked, wait_for_ms=0)
        assert reply.code == "element_not_found", asked
        assert f'button "{opposite}"' in reply.error["candidates"][0], asked
        page.do("interact", query=opposite)
        assert page.text("#out") == opposite


def test_words_are_found_without_their_accents_and_endings(page: Page) -> None:
    _show(page, list(MEANT.values()))
    for asked, meant in MEANT.items():
        page.do("interact", query=asked)
        assert page.text("#out") == meant, asked


def test_the_same_letters_are_meant_first(page: Page) -> None:
    """What is written as asked comes before what differs by its accents."""
    _show(page, ["Résumé", "Resume"])
    for name in ("Resume", "Résumé"):
        page.do("interact", query=name)
        assert page.text("#out") == name


_LISTS = """
<p><label>Livraison <select id=native><option>Sur place<option>À emporter</select></label>
<p><span id=name>Ville</span> <button role=combobox aria-labelledby=name aria-expanded=false
  aria-haspopup=listbox aria-controls=towns id=drawn onclick='towns.hidden = !towns.hidden;
  this.ariaExpanded = String(!towns.hidden)'>Aucune</button>
<ul id=towns role=listbox hidden onclick='drawn.textContent = event.target.textContent;
  this.hidden = true; drawn.ariaExpanded = false'><li role=option>Köln<li role=option>Orléans</ul>
"""


def test_options_are_chosen_without_their_accents(page: Page) -> None:
    """Of a native list and of one that the page draws; not if two differ by them alone."""
    page.js(f"document.body.innerHTML = `{_LISTS}`; 1")
    page.do("form_input", query="Livraison", value="a emporter")
    assert page.js("native.value") == "À emporter"
    page.do("form_input", query="Ville", value="orleans")
    assert page.text("#drawn") == "Orléans"
    page.js("native.append(new Option('Pêche'), new Option('Péché')); 1")
    assert page.call("form_input", query="Livraison", value="peche").code == "option_not_found"
