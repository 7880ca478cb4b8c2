// What tells an element from others like it: its role, its name, and the words around it. A ref
// acts only on what is still the element that was read, or on the one that took its place.

const identities = new Map(); // by number: { role, name, words, repeated, rowKey }
const CLIMB = 5;
const MUCH = 2000; // characters of an ancestor that are looked at
const contentIn = getter(Node.prototype, 'textContent');
let surroundings = new Map(); // text of ancestors, for the time of one reading
let controlsOnly = new Map(); // which ancestors are but groups of controls, for as long
let controlsOf = surroundings;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
const above = (el) => parentIn(el) || hostOf(rootIn(el)) || null;

function textsIn(el, before, level = 0) {
  let text = before;
  if (level > MAX_DEPTH) return text;
  for (let kid = firstOf(el); kid && text.length < MUCH; kid = nextOf(kid)) {
    const type = typeOf(kid);
    if (type === 3) text += `${kid.data} `;
    else if (type === 1) text = textsIn(kid, text, level + 1);
  }
  return text;
}

// The text of an element with a space between its parts: the cells of a row are words apart.
function textIn(el) {
  let text = surroundings.get(el);
  if (text === undefined) {
    text = squeeze(textsIn(el, '').slice(0, MUCH));
    surroundings.set(el, text);
  }
  return text;
}

// The closest ancestor that says more than the element itself, and its other words. A cell and a
// group of buttons say nothing about whose they are: the row or the entry that they stand in does.
function around(el) {
  const own = textIn(el);
  let at = el;
  let first = null;
  for (let level = 0; level < CLIMB; level++) {
    at = above(at);
    if (!at || tagOf(at) === 'BODY') break;
    const text = textIn(at);
    if (text.length <= own.length + 1) continue;
    const cell = isCell(at);
    const unit = !cell && isUnit(at, text);
    if (unit || (!first && !cell && !onlyControls(at, text))) return { at, words: text.replace(own, ' '), repeated: isRepeated(at) };
    first ||= at;
  }
  return first ? { at: first, words: textIn(first).replace(own, ' '), repeated: isRepeated(first) } : { at, words: '', repeated: false };
}

const roleWord = (el) => (el.hasAttributes() ? el.getAttribute('role') || '' : '');
const isCell = (el) => tagOf(el) === 'TD' || tagOf(el) === 'TH' || (!clobbered(el) && roleWord(el).endsWith('cell'));

// Whether all that an element says is said by controls in it; once for each in a reading.
function onlyControls(el, text) {
  if (clobbered(el)) return false;
  if (controlsOf !== surroundings) [controlsOf, controlsOnly] = [surroundings, new Map()];
  let only = controlsOnly.get(el);
  if (only === undefined) {
    let said = 0;
    for (const one of el.querySelectorAll('button, a[href], [role=button], summary')) said += textIn(one).length + 1;
    only = said >= text.length && el.querySelector('input, select, textarea') === null;
    controlsOnly.set(el, only);
  }
  return only;
}

// Whether an ancestor is one of many of its kind: a row, an entry of a list, a card.
function isRepeated(el) {
  return !clobbered(el) && (isEntry(el) || (!isCell(el) && hasLike(el)));
}

// One that says whose its controls are, surely: an entry, or one of a class with others beside it.
const isUnit = (el, text) => !clobbered(el) && (isEntry(el) || (el.className !== '' && hasLike(el) && !onlyControls(el, text)));
const ENTRIES = new Set(['TR', 'LI', 'OPTION', 'ARTICLE', 'row', 'listitem', 'option', 'article']);
const isEntry = (el) => ENTRIES.has(tagOf(el)) || ENTRIES.has(roleWord(el));

function hasLike(el) {
  const like = (other) => other?.tagName === el.tagName && other.className === el.className;
  return like(el.nextElementSibling) || like(el.previousElementSibling);
}

const HOLDERS = new Set(['grid', 'treegrid', 'table', 'list', 'listbox', 'tree', 'feed', 'log']);

// What tells it from its likes: a row goes by its own words, for the rows around it come and go in a
// virtual list; and what holds rows is the same whatever they say, unless it stands in a row itself.
function tellingWords(el, role) {
  if (isEntry(el)) return { words: textIn(el), repeated: true };
  const near = around(el);
  return HOLDERS.has(role) && near.repeated && !isEntry(near.at) ? { words: '', repeated: false } : near;
}

function identify(number, el, role = roleOf(el), name = nameOf(el, role)) {
  const { words, repeated } = tellingWords(el, role);
  identities.set(number, { role, name, words, repeated, rowKey: rowKeyOf(el)?.key });
}

function identified(number, el, role, name) {
  // A form whose inputs hide its properties is known by its node alone.
  if (clobbered(el)) identities.delete(number);
  else identify(number, el, role, name);
}

const within = (few, many) => few.every((word) => many.includes(word));

// Whether words only came or only went: a message that appeared is no other row.
function alike(one, other) {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.length < b.length ? within(a, b) && (a.length > 0 || b.length === 0) : within(b, a) && (b.length > 0 || a.length === 0);
}

function isStill(el, known) {
  const role = roleOf(el);
  if (role !== known.role) return false;
  if (!known.repeated) return true;
  const now = tellingWords(el, role);
  return alike(known.words, now.words) && (nameOf(el, role) === known.name || now.words !== '');
}

// After our own action the element may say something else, and be the same: a counter in its row.
function acted(el) {
  const number = numbers.get(el);
  const known = identities.get(number);
  if (!known || !present(el)) return;
  surroundings = new Map();
  const letters = (text) => text.replace(/[\p{N}\p{P}\p{S}]+/gu, ' ');
  if (roleOf(el) === known.role && alike(letters(known.words), letters(tellingWords(el, known.role).words))) identify(number, el);
}

// The element of a number, if it is the one that was read; else the one that stands in its place,
// if there is no doubt; else null.
function acquire(number) {
  surroundings = new Map();
  generatesIn = new Map();
  const known = identities.get(number);
  const el = elementOf(number);
  if (!known) return el;
  if (el) return isStill(el, known) ? el : null;
  const found = acting().filter((one) => !numbers.has(one.el) && one.role === known.role && one.name === known.name)
    .filter((one) => {
      const now = tellingWords(one.el, one.role).words;
      return known.repeated ? now === known.words : alike(now, known.words);
    });
  if (found.length !== 1) return null;
  numbers.set(found[0].el, number);
  elements.set(number, new WeakRef(found[0].el));
  identify(number, found[0].el);
  return found[0].el;
}

// What a recording keeps of an element. Never what somebody has typed into it.
const TRAITS = ['id', 'name', 'type', 'placeholder', 'aria-label', 'title', 'alt', 'href', 'role', 'autocomplete', 'data-testid', 'data-test'];
const LEVELS = 6;

function identityOf(el) {
  const tag = tagOf(el).toLowerCase();
  if (clobbered(el)) return { tag, attributes: {}, label: '', text: '', around: '', row: '', selector: tag };
  surroundings = new Map();
  const attributes = {};
  const near = around(el);
  for (const name of TRAITS) if (el.hasAttribute(name)) attributes[name] = clip(el.getAttribute(name), 200);
  const typed = /^(input|textarea|select)$/.test(tag) || el.isContentEditable;
  return {
    tag, attributes, selector: pathOf(el),
    label: labelsOf(el).slice(0, 1).map((label) => clip(squeeze(contentIn(label).slice(0, 400)))).join(''),
    text: typed ? '' : clip(squeeze(contentIn(el).slice(0, 400))),
    around: clip(squeeze(`${near.words} ${sectionOf(el)}`), 200),
    // Of one among many of its kind: what tells it from the others.
    row: near.repeated ? clip(squeeze(near.words), 200) : '',
  };
}

function pathOf(el) {
  const steps = [];
  for (let at = el; at && steps.length < LEVELS; at = parentIn(at)) {
    const tag = tagOf(at).toLowerCase();
    if (!clobbered(at) && at.id) return [`#${CSS.escape(at.id)}`, ...steps].join(' > ');
    const like = (parentIn(at) ? [...childElementsOf(parentIn(at))] : []).filter((one) => tagOf(one) === tagOf(at));
    steps.unshift(like.length > 1 ? `${tag}:nth-of-type(${like.indexOf(at) + 1})` : tag);
  }
  return steps.join(' > ');
}
