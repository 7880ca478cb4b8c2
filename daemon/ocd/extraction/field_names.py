"""Field names as words: what schemas and pages call the same thing."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W_]+")
# Names that mean the same, one meaning a line.
_MEANINGS = """
name|title|headline|heading|product name|item name|名前|名称|제목|이름|标题|titel|titre|
  título|العنوان|שם
price|cost|amount|preis|prix|precio|prezzo|preço|価格|가격|价格|السعر|מחיר|sale price|
  current price|low price
currency|price currency|währung|devise|moneda|通貨|통화|货币
description|summary|abstract|excerpt|teaser|about|beschreibung|descripción|説明|설명|
  描述|الوصف
image|photo|picture|thumbnail|image url|thumbnail url|img|poster|bild|foto|画像|사진|
  图片
url|link|href|permalink|web address|リンク|링크
author|by|byline|writer|creator|written by|posted by|autor|auteur|autore|著者|作者|
  저자|글쓴이|الكاتب
date|published|date published|published at|publish date|published time|
  publication date|posted|posted on|pubdate|datum|fecha|発行日|日付|날짜|日期|التاريخ
modified|date modified|updated|last updated|updated at|modified time|stand|
  aktualisiert
start|start date|starts|begins|begin|when|from|doors|beginn|start time
end|end date|ends|until|ende|end time
location|venue|place|where|ort|lieu|lugar|場所|장소|地点|المكان
address|street address|adresse|dirección|住所|주소|地址
rating|rating value|stars|score|average rating|bewertung|評価|평점|评分
review count|rating count|number of reviews|bewertungen
sku|product id|item number|article number|artikelnummer|mpn|product code|model
brand|manufacturer|maker|marke|marque|marca|ブランド|브랜드|品牌
availability|stock|in stock|verfügbarkeit|disponibilité|在庫|재고|库存
category|section|article section|kategorie|catégorie|categoría|カテゴリ|카테고리|分类
tags|keywords|labels|topics|schlagwörter
ingredients|recipe ingredient|zutaten|ingrédients|ingredientes|材料|재료
instructions|recipe instructions|steps|method|directions|preparation|zubereitung|
  préparation|作り方|만드는 법
prep time|preparation time|vorbereitungszeit
cook time|cooking time|kochzeit|garzeit
total time|time required|ready in|gesamtzeit
servings|yield|recipe yield|serves|portions|portionen
duration|length|dauer|durée|runtime
email|e mail|mail|contact email
phone|telephone|tel|phone number|telefon|téléphone|電話|전화|电话
company|organization|hiring organization|employer|organizer|firma|会社|회사|公司
salary|base salary|pay|compensation|gehalt|salaire
body|article body|content|text|full text
publisher|source|site name|verlag
quantity|qty|menge|数量|수량
weight|gewicht|poids|peso|重量|무게
color|colour|farbe|couleur|色|색상|颜色
size|größe|taille|サイズ|크기|尺寸
language|in language|sprache|langue|言語|언어|语言
status|state
isbn|isbn13|isbn 13|isbn10
"""
# Words before a name that say only what page it is on.
_GENERIC = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "product item article recipe event job book movie person page main the of post entry"
        " offer listing my current data field value text label itemprop js test qa is info"
        " detail wrapper container box cell col column block content card schema full"
    ).split()
)
# Words that make another thing of a name.
_TURNING = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "old was original list regular compare before previous shipping unit discount save"
        " savings tax delivery count number review reviewer comment total per msrp strike"
        " crossed min max range icon button btn sort filter alt form menu nav footer header"
        " logo breadcrumb related"
    ).split()
)
MUCH = 8  # words, beyond which a text is not a name


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(20_000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in any spelling (camelCase, snake_case, a label), singular."""
    plain = unicodedata.normalize("NFKC", name)
    return tuple(_singular(word.lower()) for word in _WORD.findall(plain))


_MEANING: dict[tuple[str, ...], int] = {
    words_of(name): number
    for number, line in enumerate(_MEANINGS.replace("|\n", "|").strip().splitlines())
    for name in line.split("|")
}


@lru_cache(50_000)
def likeness(wanted_words: tuple[str, ...], found: tuple[str, ...]) -> float:
    """Return how alike two names are in meaning, from 0 to 1 for the same.

    Args:
        wanted_words: the words of the field that is asked for, as `words_of` returns them.
        found: the words of a name in the page.
    """
    if not wanted_words or not found or len(found) > MUCH:
        return 0.0
    if wanted_words == found:
        return 1.0
    core_asked, core_found = _core(wanted_words), _core(found)
    if core_asked == core_found:
        return 0.97
    if (one := _MEANING.get(core_asked)) is not None and one == _MEANING.get(core_found):
        return 0.92
    if (one := _MEANING.get(wanted_words)) is not None and one == _MEANING.get(found):
        return 0.92
    return _partly(core_asked, core_found)


def _core(name: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in name if word not in _GENERIC) or name


def _partly(wanted_words: tuple[str, ...], found: tuple[str, ...]) -> float:
    here, there = set(wanted_words), set(found)
    if here <= there:
        extra = there - here
        return 0.3 if extra & _TURNING else max(0.8 - 0.1 * len(extra), 0.4)
    if there <= here:
        missing = here - there
        return 0.25 if missing & _TURNING else max(0.65 - 0.15 * len(missing), 0.3)
    meaning = _MEANING.get(wanted_words)
    if meaning is not None:
        for size in range(len(found), 0, -1):
            for at in range(len(found) - size + 1):
                if _MEANING.get(found[at : at + size]) == meaning:
                    rest = set(found[:at] + found[at + size :])
                    return 0.25 if rest & _TURNING else max(0.75 - 0.1 * len(rest), 0.4)
    return 0.0
