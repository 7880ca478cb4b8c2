// Roles and states that custom elements give themselves by ElementInternals, which no script but their own can read: CDP
// tells the role, for one element of each tag, and the states, for each element that is told.

const MAX_CUSTOM_TAGS = 40; // in one reading
const MAX_STATED = 64; // elements, in one reading
const CUSTOM_STATES = new Set(['checked', 'selected', 'pressed', 'expanded', 'disabled']); // that style sheets ask for
const internalRoles = new Map(); // by tag, '' for none
const librariesWithRoles = new Set(); // the beginnings of their tags
const internalStates = new WeakMap(); // as CDP has told them last
let unknownCustoms = new Map(); // by tag, one that can be acted on and has no role that shows
let statedElements = []; // that a reading tells

const libraryOf = (tag) => tag.split('-', 1)[0];

// What takes the focus, or has a label, as controls do.
function suspectCustom(el, tag) {
  if (internalRoles.has(tag) || unknownCustoms.size >= MAX_CUSTOM_TAGS || el.hasAttribute('role'))
    return;
  if (el.hasAttribute('tabindex') || labelsOf(el).length > 0) unknownCustoms.set(tag, el);
}

function takeCustoms() {
  const found = [...unknownCustoms.values()];
  unknownCustoms = new Map();
  return found;
}

function noteStated(el) {
  if (statedElements.length < MAX_STATED && (unknownCustoms.has(tagOf(el)) || hasInternalRole(el)))
    statedElements.push(el);
}

function takeStated() {
  const found = statedElements;
  statedElements = [];
  return found;
}

// Remembers the roles of elements; returns whether any has one.
function learnInternalRoles(els, roles) {
  for (const [at, el] of els.entries()) {
    const has = ROLES.has(roles[at]) && !/^(?:generic|none|presentation)$/.test(roles[at]);
    internalRoles.set(tagOf(el), has ? roles[at] : '');
    if (has) librariesWithRoles.add(libraryOf(tagOf(el)));
  }
  return els.some((el) => internalRoles.get(tagOf(el)) !== '');
}

// Remembers the states of elements; returns whether any is another than was known.
function learnInternalStates(els, states) {
  let changed = false;
  for (const [at, el] of els.entries()) {
    changed ||=
      hasInternalRole(el) && JSON.stringify(internalStates.get(el)) !== JSON.stringify(states[at]);
    internalStates.set(el, states[at]);
  }
  return changed;
}

// What does not show yet cannot be asked: in a library of which others do so, its tag says what it is, unless it is made
// of a control.
function internalRoleOf(el) {
  const tag = tagOf(el);
  const known = internalRoles.get(tag);
  if (known !== undefined || !librariesWithRoles.has(libraryOf(tag))) return known ?? '';
  const word = tag.slice(tag.indexOf('-')).replaceAll('-', '').toLowerCase();
  return WIDGETS.has(word) && !holdsControl(el) ? word : '';
}

const hasInternalRole = (el) =>
  librariesWithRoles.size > 0 &&
  tagOf(el).includes('-') &&
  !el.hasAttribute('role') &&
  internalRoleOf(el) !== '';

// A state or value of an element: as its attribute says, else as it says itself; null where neither does.
function ariaOf(el, state) {
  const written = el.getAttribute(`aria-${state}`);
  if (written !== null || !hasInternalRole(el)) return written;
  if (CUSTOM_STATES.has(state) && el.matches(`:state(${state})`)) return 'true';
  return internalStates.get(el)?.[state] ?? null;
}

const optionTags = () => [
  ...[...librariesWithRoles].map((library) => `${library}-option`),
  ...[...internalRoles.keys()].filter((tag) =>
    /^(?:option|menuitem|treeitem)/.test(internalRoles.get(tag)),
  ),
];
