// What is different about an element that stood there before: its states, its name, where it leads, its looks.

const NOTED_ATTRIBUTES = new Set(
  (
    'hidden open disabled checked selected value title href src aria-expanded aria-checked' +
    ' aria-selected aria-pressed aria-hidden aria-disabled aria-invalid aria-current aria-label aria-busy' +
    ' aria-valuenow readonly required'
  ).split(' '),
);
// What pages change all the time, and nobody sees as such.
const LOOK_ATTRIBUTES = new Set(['class', 'style']);
// Attributes that are there or not, whatever their value.
const BOOLEAN_ATTRIBUTES = /^(?:hidden|open|disabled|checked|selected|readonly|required)$/;
// Those whose value is a state, by the outline's words for it.
const STATE_ATTRIBUTE =
  /^aria-(expanded|checked|selected|pressed|hidden|disabled|invalid|current|busy)$/;
const OPPOSITES = { expanded: 'collapsed', checked: 'unchecked' };
const MADE_BY_SCRIPT = /^blob:/; // an address that says nothing
const NAMING_ATTRIBUTES = /^(?:title|aria-label)$/;
const MAX_VALUE = 60; // characters of a value
const MAX_NAME = 40;
const KEPT_CONTEXT = 15; // of those that two values have in common

// Pairs of the element and what is different. `shown`: whether it is told already what came and went.
function changeLines(el, old, values, shown) {
  if (UNRENDERED_TAGS.has(el.tagName)) return [];
  const lines = [];
  for (const [name, before] of old) {
    const after = el.getAttribute(name);
    const leadsNowhere = name === 'href' && !/^(?:A|AREA)$/i.test(tagOf(el)); // a part of a drawing
    if (
      before === after ||
      leadsNowhere ||
      (MADE_BY_SCRIPT.test(before) && MADE_BY_SCRIPT.test(after)) ||
      (values.has(el) && /^(value|checked)$/.test(name)) ||
      (shown && /^(hidden|open|aria-hidden)$/.test(name))
    )
      continue;
    const words = changeWords(el, name, before, after);
    if (words) lines.push([shortLabelOf(el), words]);
  }
  return lines;
}

function changeWords(el, name, before, after) {
  const [, state] = STATE_ATTRIBUTE.exec(name) || [];
  if (state)
    return stateWord(state, before) === stateWord(state, after) ? '' : stateWord(state, after);
  if (BOOLEAN_ATTRIBUTES.test(name))
    return (before === null) === (after === null) ? '' : after === null ? `not ${name}` : name;
  if (NAMING_ATTRIBUTES.test(name))
    return isNamingAttribute(el, after)
      ? `was ${quote(clip(squeeze(before || ''), MAX_NAME))}`
      : '';
  return `${name}: ${differenceOf(before, after)}`;
}

function stateWord(state, value) {
  if (value === 'true') return state;
  if (value && value !== 'false') return `${state}=${value}`;
  return ((value === 'false' || state === 'checked') && OPPOSITES[state]) || `not ${state}`;
}

// Whether a title or a label is what names a control, or a thing without words of its own; else it is a hint beside it.
function isNamingAttribute(el, value) {
  const role = roleOf(el);
  const name = nameOf(el, role);
  if (WIDGETS.has(role) || FIELDS.has(role))
    return name === squeeze(value || '') && name !== leadingText(el);
  return !/\S/.test(textContentOf(el) || '') && visibleBoxOf(el) !== null;
}

// What a control without a name is told apart by, such as the class of its icon; "" for any other.
function hintIfNameless(el) {
  const role = roleOf(el);
  return WIDGETS.has(role) && !nameOf(el, role) ? hintIfWordless(el, role).trim() : '';
}

// A toggle that shows what state it is in by its icon alone.
const iconChange = ({ target, hint }) =>
  hint && isPresent(target) && hint !== hintIfNameless(target)
    ? [[shortLabelOf(target), `was ${hint}`]]
    : [];

// Hints that are different, as pairs: told where nothing else is.
function hintLines(el, old) {
  const hints = UNRENDERED_TAGS.has(el.tagName)
    ? []
    : [...old].filter(
        ([name, before]) => NAMING_ATTRIBUTES.test(name) && before !== el.getAttribute(name),
      );
  return hints.map(([name, before]) => [
    shortLabelOf(el),
    `${name}: ${differenceOf(before, el.getAttribute(name))}`,
  ]);
}

// Both values, of long ones from where they differ.
function differenceOf(before, after) {
  const [was, is] = [before ?? '', after ?? ''];
  let same = 0;
  if (Math.max(was.length, is.length) > MAX_VALUE)
    while (same < was.length && was[same] === is[same]) same++;
  const from = same > KEPT_CONTEXT ? same - KEPT_CONTEXT : 0;
  const words = (value) =>
    value === null ? 'none' : quote(clip(`${from ? '…' : ''}${value.slice(from)}`, MAX_VALUE));
  return `${words(before)} → ${words(after)}`;
}

// Of a list of classes or styles, only what came and what went.
function styleChangeLines(el, old) {
  if (UNRENDERED_TAGS.has(el.tagName)) return [];
  const lines = [];
  for (const [name, before] of old) {
    const parts = (value) =>
      (value || '')
        .split(name === 'class' ? /\s+/ : ';')
        .map((part) => part.trim())
        .filter((part) => part && !part.startsWith('cursor:'));
    const [was, is] = [parts(before), parts(el.getAttribute(name))];
    const words = [
      ...is.filter((part) => !was.includes(part)).map((part) => `+${part}`),
      ...was.filter((part) => !is.includes(part)).map((part) => `-${part}`),
    ];
    if (words.length) lines.push(`${shortLabelOf(el)} ${name}: ${clip(words.join(' '), 100)}`);
  }
  return lines;
}

// Of several of which one is chosen, that one says it.
function dropUnchosen(changes) {
  const words = new Set(changes.map(([, what]) => what));
  return changes.filter(
    ([label, what]) =>
      !(what === 'not selected' && words.has('selected')) &&
      !(what === 'unchecked' && words.has('checked') && label.startsWith('radio')),
  );
}

// Elements with the same change stand in one line: pairs of an element and what changed.
const joinSameChanges = (changes) =>
  [...groupItems(changes, ([, what]) => what)].map(
    ([what, ones]) =>
      `${dropCustomHosts([...new Set(ones.map(([label]) => label))]).join(', ')} ${what}`,
  );

// A custom element and the control in it change together: the control is told.
function dropCustomHosts(labels) {
  const controls = labels.filter((label) => label[0] !== '<');
  const named = new Set(controls.map(quotedNameIn));
  return labels.filter((label) => {
    if (label[0] !== '<') return true;
    const name = quotedNameIn(label);
    return name ? !named.has(name) : !controls.length || !CUSTOM_HOST.test(label);
  });
}

const CUSTOM_HOST = /^<[a-z]+-[^>]*>$/;
