// What tells an element from others like it: its role, its name, and the words around it. A ref
// acts only on what is still the element that was read, or on the one that took its place.

const identities = new Map(); // by number: { role, name, words, repeated, rowKey }
const MAX_CLIMB = 5;
const MAX_ANCESTOR_TEXT = 2000; // characters of an ancestor that are looked at
const textContentOf = getter(Node.prototype, 'textContent');
let surroundingTexts = new Map(); // text of ancestors, for the time of one reading
let controlsOnlyByElement = new Map(); // which ancestors are but groups of controls, for as long
let controlsOnlyEpoch = surroundingTexts;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) || [];
// Pictures in texts, and what only changes how they are drawn.
const PICTURES =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f]/gu;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}+/gu;
const composedParentOf = (el) => parentElementOf(el) || hostOf(rootNodeOf(el)) || null;

// The text that is all that stands in an element, as in most links and cells; null if it is not so.
function onlyTextOf(el) {
  const first = firstChildOf(el);
  return first !== null && nodeTypeOf(first) === 3 && nextSiblingOf(first) === null ? first : null;
}

function collectTexts(el, before, level = 0) {
  let text = before;
  if (level > MAX_DEPTH) return text;
  for (
    let kid = firstChildOf(el);
    kid && text.length < MAX_ANCESTOR_TEXT;
    kid = nextSiblingOf(kid)
  ) {
    const type = nodeTypeOf(kid);
    if (type === 3) text += `${kid.data} `;
    else if (type === 1 && !UNRENDERED_TAGS.has(tagOf(kid))) {
      const alone = onlyTextOf(kid);
      text = alone === null ? collectTexts(kid, text, level + 1) : `${text}${alone.data} `;
    }
  }
  return text;
}

// The text of an element with a space between its parts: the cells of a row are words apart.
function spacedTextOf(el) {
  const alone = onlyTextOf(el);
  if (alone !== null) return squeeze(alone.data.slice(0, MAX_ANCESTOR_TEXT));
  let text = surroundingTexts.get(el);
  if (text === undefined) {
    text = squeeze(collectTexts(el, '').slice(0, MAX_ANCESTOR_TEXT));
    surroundingTexts.set(el, text);
  }
  return text;
}

const GRID_CELL = '[role=gridcell]'; // of what stands in one, the row says what it is about

// The closest ancestor that says more than the element itself, and its other words. A cell and a
// group of buttons say nothing about whose they are: the row or the entry that they stand in does. Other entries say
// nothing about one.
function surroundingWords(el) {
  const own = spacedTextOf(el);
  const ofEntries = isEntry(el);
  let at = closestMatch(el, GRID_CELL) ?? el;
  let inner = at; // what says no more than the element, and stands alone in what is looked at next
  let first = null;
  for (let level = 0; level < MAX_CLIMB; level++) {
    at = composedParentOf(at);
    const tag = at ? tagOf(at) : 'BODY';
    if (tag === 'BODY') break;
    if (inner !== null && firstChildOf(at) === inner && nextSiblingOf(inner) === null) {
      inner = at;
      continue;
    }
    inner = null;
    const text = spacedTextOf(at);
    if (text.length <= own.length + 1) continue;
    const cell = isCell(at, tag);
    const entry = !cell && isEntry(at, tag);
    if (ofEntries && !entry) continue;
    if (entry || (!cell && (isOwnUnit(at, text) || (!first && !saysOnlyControls(at, text)))))
      return { at, words: text.replace(own, ' '), repeated: isRepeated(at, tag, entry) };
    first ||= at;
  }
  return first
    ? { at: first, words: spacedTextOf(first).replace(own, ' '), repeated: isRepeated(first) }
    : { at, words: '', repeated: false };
}

const roleAttributeOf = (el) => (el.hasAttributes() ? el.getAttribute('role') || '' : '');
const isCell = (el, tag) =>
  tag === 'TD' || tag === 'TH' || (!clobbered(el) && roleAttributeOf(el).endsWith('cell'));

// Whether all that an element says is said by controls in it; once for each in a reading.
function saysOnlyControls(el, text) {
  if (clobbered(el)) return false;
  if (controlsOnlyEpoch !== surroundingTexts)
    [controlsOnlyEpoch, controlsOnlyByElement] = [surroundingTexts, new Map()];
  let only = controlsOnlyByElement.get(el);
  if (only === undefined) {
    let said = 0;
    for (const one of el.querySelectorAll('button, a[href], [role=button], summary'))
      said += spacedTextOf(one).length + 1;
    only = said >= text.length && el.querySelector('input, select, textarea') === null;
    controlsOnlyByElement.set(el, only);
  }
  return only;
}

// Whether an ancestor is one of many of its kind: a row, an entry of a list, a card.
function isRepeated(el, tag = tagOf(el), entry = isEntry(el, tag)) {
  return !clobbered(el) && (entry || (!isCell(el, tag) && hasSimilarSibling(el)));
}

// One that says whose its controls are, as an entry does: one of a class with others beside it.
const isOwnUnit = (el, text) =>
  !clobbered(el) && el.className !== '' && hasSimilarSibling(el) && !saysOnlyControls(el, text);
const ENTRIES = new Set(['TR', 'LI', 'OPTION', 'ARTICLE', 'row', 'listitem', 'option', 'article']);
const isEntry = (el, tag = tagOf(el)) =>
  ENTRIES.has(tag) || (!clobbered(el) && ENTRIES.has(roleAttributeOf(el)));

function hasSimilarSibling(el) {
  const like = (other) => other?.tagName === el.tagName && other.className === el.className;
  return like(el.nextElementSibling) || like(el.previousElementSibling);
}

const COLLECTION_ROLES = new Set([
  'grid',
  'treegrid',
  'table',
  'list',
  'listbox',
  'tree',
  'feed',
  'log',
]);

// What tells it from its likes: a row goes by its own words, for the rows around it come and go in a
// virtual list; and what holds rows is the same whatever they say, unless it stands in a row itself.
function distinguishingWords(el, role) {
  if (isEntry(el)) return { words: spacedTextOf(el), repeated: true };
  const near = surroundingWords(el);
  return COLLECTION_ROLES.has(role) && near.repeated && !isEntry(near.at)
    ? { words: '', repeated: false }
    : near;
}

function setIdentity(number, el, rowKey, role = roleOf(el), name = nameOf(el, role)) {
  const { words, repeated } = distinguishingWords(el, role);
  identities.set(number, { role, name, words, repeated, rowKey });
}

function recordIdentity(number, el, rowKey, role, name) {
  // A form whose inputs hide its properties is known by its node alone.
  if (clobbered(el)) identities.delete(number);
  else setIdentity(number, el, rowKey, role, name);
}

const containsAll = (few, many) => few.every((word) => many.includes(word));

// Whether words only came or only went: a message that appeared is no other row.
function isSameText(one, other) {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.length < b.length
    ? containsAll(a, b) && (a.length > 0 || b.length === 0)
    : containsAll(b, a) && (b.length > 0 || a.length === 0);
}

function isSameElement(el, known) {
  const role = roleOf(el);
  if (role !== known.role) return false;
  if (!known.repeated) return true;
  const now = distinguishingWords(el, role);
  return (
    isSameText(known.words, now.words) && (nameOf(el, role) === known.name || now.words !== '')
  );
}
