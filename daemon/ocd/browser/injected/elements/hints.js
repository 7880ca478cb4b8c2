// What tells things without a name apart: the icon they show, the picture's file, a test id.

const ICON =
  /^(?:[a-z]{1,6}-icon|fa|fas|far|fab|fal|glyphicons?|icons?|ico|mdi|bi|ri|ti|la|las|pi|bx|ion|md|ms|dashicons|lucide|feather|codicon|octicon|oi|ql|ui-icon|anticon|i)[-_]+(?=[a-z])/i;
const PLAIN_CLASS = /^[a-z][a-z_-]{2,29}$/i;
const SAYS_NOTHING = new Set(
  (
    'absolute active antialiased btn button buttons clickable clearfix col container content control controls disabled element' +
    ' enabled fade field fixed flex form-control form-group glyphicon group grow hidden hover icon icons image img inline inner input italic item items left link' +
    ' main material-icons open outer peer relative right root row selected show shrink sr-only static sticky svg text transition truncate underline uppercase' +
    ' visible wrapper'
  ).split(' '),
);
// Classes that say how something looks: of frameworks of utilities, or a framework's own prefix.
const UTILITY =
  /^(?:[pm][xytrbl]?|w|h|d|z|min|max|text|bg|border|flex|grid|gap|space|rounded|shadow|ring|outline|font|leading|tracking|items|justify|self|align|object|inset|inline|overflow|whitespace|opacity|transition|duration|ease|animate|cursor|pointer-events|variant|size|btn|button|icon|fa|css|sc|jss|ui|Mui\w*|chakra|ant|is|has|js|ng|svg)-|__|--|^(?:fa[srlbd]?|bi|ti|la[srb]?|pi|bx|mdi|lni)$/;
// What changes as the mouse and the focus come and go, and where something stands among others.
const PASSING =
  /(?:^|[-_])(?:over|hover|hovered|focus|focused|active|pressed|first|last|odd|even)$/i;
// What the classes of icons say that say nothing: their parts and sizes.
const ICON_SAYS_NOTHING =
  /^(?:btn|button|icons?|container|content|wrapper|inner|outer|element|item|group|control|disabled|enabled|active|hidden|hover|selected|left|right|svg|lg|sm|xs|fw|spin|\dx|solid|regular)$/i;
const FILE = /([^/?#]{1,40}?)(?:\.\w{2,5})?(?:[?#].*)?$/;
const MAX_SEEN = 60; // characters of a control that are looked at
const HELD_MOST = 12; // elements of a control that are looked into

// Icon fonts that draw a word as one sign: Material Icons and Symbols, and those made like them.
const ICON_WORD = /^\s*[a-z][a-z0-9_]{1,39}\s*$/;
const ICON_FONT = /icon|symbol|glyph/i;

// Whether a text is the word for an icon that is drawn in its place.
function isIconWord(el, text) {
  if (text.length >= 60 || !ICON_WORD.test(text)) return false;
  const owner = tagOf(el) === 'SLOT' ? (hostOf(rootNodeOf(el)) ?? el) : el;
  return (
    ICON_FONT.test(getAttributeOf(owner, 'class') ?? tagOf(owner)) &&
    ICON_FONT.test(getComputedStyle(el).fontFamily)
  );
}

// A few words in parentheses for a control without a name, '' if nothing is known.
function hintOf(el, role) {
  if (clobbered(el)) return '';
  if (role === 'canvas') return sizeHint(el);
  const inner = [el, ...[...el.getElementsByTagName('*')].slice(0, HELD_MOST), ...partsOf(el)];
  const isHint = (words) => words !== '' && words.toLowerCase() !== role;
  const written = (words) => ` (${words.slice(0, 40)})`;
  const seen = seenWordsOf(el, role);
  if (SHORT_WORD.test(seen)) return written(seen);
  for (const look of [tipOf, iconOf, pictureOfHint, testIdOf]) {
    for (const one of inner) {
      const words = look(one);
      if (isHint(words)) return written((one === el && look === iconOf && iconOfBox(el)) || words);
    }
  }
  const classes = inner
    .flatMap((one) => classWordsOf(one, one === el))
    .filter(({ words }) => isHint(words));
  if (classes.length > 0) {
    const { words, one } = classes.reduce((least, other) =>
      other.shared < least.shared ? other : least,
    );
    return written((one === el && iconOfBox(el)) || words);
  }
  const id = idWordOf(el);
  return isHint(id) ? written(id) : seen && written(seen);
}

// The words or the sign that a control shows although its name has none of it: `aria-hidden` content.
const seenWordsOf = (el, role) =>
  FIELDS.has(role) || BLANK.test(textContentOf(el))
    ? ''
    : stripIconGlyphs(squeeze(visibleTextOf(el, MAX_SEEN)));

const partsOf = (el) =>
  shadowRootOf(el) ? [...shadowRootOf(el).querySelectorAll('*')].slice(0, HELD_MOST) : [];

function sizeHint(el) {
  const { width, height } = el.getBoundingClientRect();
  return ` (drawn, ${Math.round(width)}x${Math.round(height)})`;
}

// What the page's own scripts show as a tip beside it.
const TIP_ATTRIBUTE = /^data-(?:.+-)?(?:label|title|tooltip|tip|caption|hint)$/;

function tipOf(el) {
  const given = el
    .getAttributeNames()
    .find((name) => TIP_ATTRIBUTE.test(name) && /\p{L}/u.test(el.getAttribute(name)));
  return given ? squeeze(el.getAttribute(given)) : '';
}

const tokensOf = (el) => (el.getAttribute('class') || '').split(/\s+/).filter(Boolean);

function iconOf(el) {
  const told = el.getAttribute('data-icon') || el.getAttribute('icon');
  if (told && told.length < 40) return told;
  if (isIconWord(el, el.textContent)) return el.textContent.trim();
  for (const token of tokensOf(el)) {
    const word = token.replace(ICON, '');
    if (word !== token && PLAIN_CLASS.test(word) && !ICON_SAYS_NOTHING.test(word)) return word;
  }
  if (tagOf(el).toUpperCase() !== 'USE') return '';
  const target = el.getAttribute('href') || el.getAttribute('xlink:href') || '';
  return target.slice(target.indexOf('#') + 1).replace(ICON, '');
}

function pictureOfHint(el) {
  const source = el.tagName === 'IMG' ? el.getAttribute('src') || '' : '';
  return source && !source.startsWith('data:') && !source.startsWith('blob:')
    ? (FILE.exec(source)?.[1] ?? '')
    : '';
}

const testIdOf = (el) =>
  [
    'data-testid',
    'data-test',
    'data-test-id',
    'data-cy',
    'data-action',
    'data-name',
    'data-value',
    'data-direction',
  ]
    .map((name) => el.getAttribute(name))
    .find((value) => value && value.length < 40) || '';

// The classes of an element that say something, and how many elements share each: what many have says how
// they look.
function classWordsOf(one, isOwn) {
  const doc = documentOf(one);
  const prefix = classPrefixIn(doc);
  const tokens = tokensOf(one);
  const isPrefixed = (token) => prefix !== '' && token.startsWith(prefix);
  const bare = (token) =>
    isPrefixed(token) ? token.slice(prefix.length) : isOwn ? partWord(token, tokens) : token;
  return tokens
    .filter((token) => {
      const words = bare(token);
      return (
        PLAIN_CLASS.test(words) &&
        !SAYS_NOTHING.has(words.toLowerCase()) &&
        !PASSING.test(words) &&
        !UTILITY.test(isPrefixed(token) ? token : words)
      );
    })
    .map((token) => ({ words: bare(token), shared: sharing(doc, token), one }));
}

const PART_CLASS = /__([a-z][a-z-]{3,})$/;
const PREFIXED_CLASS = /^([a-z]{2,6})--([a-z][a-z-]+)$/i;

// What a class says of a part of something, `close-button` in `notification__close-button`, or behind what
// a library begins its classes with, `search-close` in `cds--search-close`.
function partWord(token, tokens) {
  const [, part] = PART_CLASS.exec(token) ?? [];
  const [, prefix, rest] = PREFIXED_CLASS.exec(token) ?? [];
  return part ?? (rest !== undefined && !tokens.includes(prefix) ? rest : token);
}

// The icon of the box that an element stands in as the only one of its classes, of which there are more in the document.
function iconOfBox(el) {
  const around = parentElementOf(el);
  const classes = tokensOf(el);
  return around !== null &&
    classes.length > 0 &&
    byClass(documentOf(el), classes.join(' ')).length > 1 &&
    around.getElementsByClassName(classes.join(' ')).length === 1
    ? iconOf(around)
    : '';
}

const MAX_NAMED = 300; // elements whose classes are looked through for a prefix

// What most classes of a page begin with, such as `red-ui-`: it tells nothing apart; '' if there is none.
const classPrefixIn = oncePerTurn((doc) => {
  const counts = new Map();
  let tokens = 0;
  for (const el of [...allMatches(doc, '[class*="-"]')].slice(0, MAX_NAMED)) {
    for (const token of tokensOf(el)) {
      const [prefix] = /^[a-z]+-(?:ui-)?(?=[a-z])/i.exec(token) ?? [];
      if (prefix === undefined) continue;
      tokens++;
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const most = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0]);
  return most[1] * 2 > tokens && tokens > 20 ? most[0] : '';
});

const MAX_COUNTED = 100; // classes of a document in one reading
const countsIn = oncePerTurn(() => new Map());

function sharing(doc, word) {
  const counts = countsIn(doc);
  if (!counts.has(word) && counts.size < MAX_COUNTED) counts.set(word, byClass(doc, word).length);
  return counts.get(word) ?? Infinity;
}

const idWordOf = (el) =>
  [el.getAttribute('name'), el.id].find(
    (value) =>
      typeof value === 'string' && /^[a-z][\w.[\]-]{0,29}$/i.test(value) && !/\d{4}|^:/.test(value),
  ) || '';

// What the button of a file input says by itself.
const chooserText = (el) => (el.multiple ? 'Choose Files' : 'Choose File');
