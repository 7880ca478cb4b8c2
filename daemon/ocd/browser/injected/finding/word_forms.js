// What people write in other ways: letters without their accents; and words that turn the meaning of others, in the
// languages of most pages.

// A name that has one of these says the opposite of the words behind it, unless they are asked for: "Don't save" is not
// "Save", and "退出登录" (log out) not "登录" (log in).
const NEGATION_BEFORE =
  /(?<![\p{L}\p{M}])(?:not|don['’]?t|never|without|nicht|ohne|kein(?:e[nmrs]?)?|ne|pas|sans|aucune?|não|nao|sem|sin|non|senza|niet|geen|zonder|nie|bez|не|без|μην?|δεν?|χωρίς|לא|ללא|בלי|لا|لم|عدم|بدون|نه|không|đừng|tidak|jangan|tanpa|नहीं|मत|बिना)(?![\p{L}\p{M}])|(?<![\p{L}\p{M}])n['’](?=\p{L})|^(?:no|אל|h[uủ][yỷ])(?= \p{L})|[不未勿非]|取消|退出|解除|ไม่|อย่า|ยกเลิก|비활성/u;
// The same for the words on either side.
const NEGATION_BESIDE =
  /(?<!\p{L})(?:inte|ikke|ikkje)(?!\p{L})|しない|しません|せず|ないで|解除|取消|キャンセル|(?<!\p{L})안 ?[함해하]|않|지 ?마|취소|해제/u;

// Whether a name says the opposite of what is asked for, by a word that turns it. Both in small letters.
function isNegated(name, query, words) {
  const at = NEGATION_BEFORE.test(query) ? -1 : name.search(NEGATION_BEFORE);
  if (at >= 0 && words.some((word) => name.lastIndexOf(word) > at)) return true;
  return (
    !NEGATION_BESIDE.test(query) &&
    NEGATION_BESIDE.test(name) &&
    words.some((word) => name.includes(word))
  );
}

const FOLDABLE =
  /[\u00c0-\u024f\u0300-\u036f\u0386-\u03ce\u0400-\u045f\u0591-\u05c7\u0622-\u0626\u0629\u0640\u0649-\u0655\u0671\u1e00-\u1fff\uff01-\uff9f]/;
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g;
const WHOLE_LETTERS = /[ßæœøđðþłıςةى]/g; // letters that are not made of another one and an accent
const PLAIN_LETTERS = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
  ة: 'ه',
  ى: 'ي',
};

// A text in small letters without accents, of the usual width: "Größe" is "grosse".
const foldLetters = (text) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(WHOLE_LETTERS, (letter) => PLAIN_LETTERS[letter]);

const MAX_UNCHECKED = 5000; // characters, for which looking for accents costs more than it saves

// Whether words on the page may have accents: those of shadow trees are not in the document's text.
const hasAccents = oncePerTurn((top) => {
  const text = textContentOf(rootElementOf(top) ?? top) ?? '';
  return text.length < MAX_UNCHECKED || FOLDABLE.test(text);
});

let letterForms = null; // by plain letter or letters: an expression for all their forms

function formsOfLetters() {
  const forms = new Map();
  for (let code = 0xc0; code < 0x2000; code++) {
    const letter = String.fromCharCode(code);
    if (!FOLDABLE.test(letter) || letter !== letter.toLowerCase()) continue;
    const plain = foldLetters(letter);
    if (plain && plain !== letter) forms.set(plain, `${forms.get(plain) ?? ''}${letter}`);
  }
  for (const [plain, others] of forms)
    forms.set(plain, plain.length > 1 ? `(?:${plain}|[${others}])` : `[${plain}${others}]`);
  return forms;
}

// An expression that finds a text, with and without accents if the page has any.
function textPattern(text) {
  // No half of a pair at the end: the expression knows whole signs only.
  const whole = text.replace(/[\ud800-\udbff]$/, '');
  if (!FOLDABLE.test(whole) && !hasAccents(document)) return escapePattern(whole);
  letterForms ??= formsOfLetters();
  return foldLetters(whole).replace(/ss|ae|oe|th|[^]/gu, (letters) =>
    letterForms.has(letters)
      ? `${letterForms.get(letters)}\\p{M}*`
      : [...letters].map((one) => letterForms.get(one) ?? escapePattern(one)).join(''),
  );
}

const escapePattern = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
