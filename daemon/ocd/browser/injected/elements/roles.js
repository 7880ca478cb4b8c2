// Roles of elements, after ARIA 1.3 and HTML-AAM.

const SVG_SPACE = 'http://www.w3.org/2000/svg';
const HEADING_TAG = /^H[1-6]$/;
const INPUT_ROLES = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  color: 'color',
  date: 'date',
  time: 'time',
  'datetime-local': 'datetime',
  month: 'month',
  week: 'week',
  file: 'file',
  hidden: '',
};
const SECTIONS = ':is(article, aside, nav, section):not([role])';
const SECTION_ROLES =
  'main:not([role]), [role=article], [role=complementary], [role=main], [role=navigation], [role=region]';
// Shapes of drawings that have a name; others are but lines.
const shapeRole = (role) => (el) =>
  el.namespaceURI === SVG_SPACE && (hasName(el) || childText(el, 'TITLE') !== '') ? role : '';
const SHAPE_ROLE = shapeRole('graphics-symbol');
const TAG_ROLES = {
  A: (el) => (el.hasAttribute('href') || el.hasAttribute('xlink:href') ? 'link' : ''),
  AREA: (el) => (el.hasAttribute('href') ? 'link' : ''),
  ADDRESS: 'group',
  ARTICLE: 'article',
  ASIDE: (el) => (hasName(el) || !isInsideOf(el, SECTIONS) ? 'complementary' : ''),
  BLOCKQUOTE: 'blockquote',
  BUTTON: 'button',
  CAPTION: 'caption',
  CIRCLE: SHAPE_ROLE,
  DATALIST: 'listbox',
  DETAILS: (el) => (hasSummary(el) ? 'group' : 'summary'), // the browser puts one there, which is no element
  DIALOG: 'dialog',
  DD: descriptionListRole('definition'),
  DT: descriptionListRole('term'),
  ELLIPSE: SHAPE_ROLE,
  FIELDSET: 'group',
  FIGURE: 'figure',
  H1: 'heading',
  H2: 'heading',
  H3: 'heading',
  H4: 'heading',
  H5: 'heading',
  H6: 'heading',
  FORM: 'form',
  G: shapeRole('group'),
  HGROUP: 'group',
  HR: 'separator',
  FOOTER: (el) => (isSectioned(el) ? '' : 'contentinfo'),
  HEADER: (el) => (isSectioned(el) ? '' : 'banner'),
  IFRAME: 'iframe',
  FRAME: 'iframe',
  IMAGE: shapeRole('img'),
  IMG: (el) => (el.getAttribute('alt') === '' ? 'none' : 'img'),
  INPUT: (el) =>
    el.list && /^(text|search|email|tel|url)$/.test(el.type)
      ? 'combobox'
      : (INPUT_ROLES[el.type] ?? 'textbox'),
  LI: (el) => (isList(el.parentElement) || isListedElsewhere(el) ? 'listitem' : ''),
  LINE: SHAPE_ROLE,
  MAIN: 'main',
  MATH: 'math',
  MENU: 'list',
  METER: 'meter',
  NAV: 'navigation',
  OL: 'list',
  OPTGROUP: 'group',
  OPTION: 'option',
  OUTPUT: 'status',
  PATH: SHAPE_ROLE,
  POLYGON: SHAPE_ROLE,
  POLYLINE: SHAPE_ROLE,
  PROGRESS: 'progressbar',
  RECT: SHAPE_ROLE,
  SEARCH: 'search',
  SECTION: (el) => (hasName(el) ? 'region' : ''),
  SELECT: (el) => (el.multiple || el.size > 1 ? 'listbox' : 'combobox'),
  SUMMARY: (el) => (isSummary(el) ? 'summary' : ''),
  SVG: 'img',
  TABLE: 'table',
  TBODY: tablePartRole('rowgroup'),
  TFOOT: tablePartRole('rowgroup'),
  THEAD: tablePartRole('rowgroup'),
  TD: tablePartRole('cell', 'gridcell'),
  TEXTAREA: 'textbox',
  TH: headerRole,
  TR: tablePartRole('row'),
  UL: 'list',
  VIDEO: 'video',
  AUDIO: 'audio',
  CANVAS: 'canvas',
};
// Parts of publications and drawings; their kinds of links are links.
const PARTS_OF_BOOKS = (
  'abstract acknowledgments afterword appendix biblioentry bibliography chapter colophon conclusion cover credit' +
  ' credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary index introduction notice pagebreak' +
  ' pagefooter pageheader pagelist part preface prologue pullquote qna subtitle tip toc'
)
  .split(' ')
  .map((word) => `doc-${word}`);
const BOOK_LINKS = new Set(['doc-backlink', 'doc-biblioref', 'doc-glossref', 'doc-noteref']);
const PARTS_OF_DRAWINGS = ['graphics-document', 'graphics-object', 'graphics-symbol'];
const ROLES = new Set([
  ...PARTS_OF_BOOKS,
  ...BOOK_LINKS,
  ...PARTS_OF_DRAWINGS,
  ...(
    'alert alertdialog application article banner blockquote button caption cell' +
    ' checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog directory document' +
    ' emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox listitem log main' +
    ' mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note' +
    ' option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search' +
    ' searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel' +
    ' term textbox timer toolbar tooltip tree treegrid treeitem'
  ).split(' '),
]);
const ALIASES = new Map([
  ['image', 'img'],
  ['generic', ''],
  ...[...BOOK_LINKS].map((word) => [word, 'link']),
]);
const WIDGETS = new Set(
  (
    'button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio' +
    ' option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem color date time' +
    ' datetime month week file summary'
  ).split(' '),
);
const FIELDS = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'slider',
  'date',
  'time',
  'datetime',
  'month',
  'week',
  'color',
  'file',
]);
// What a native field may be told to be: it stays a field whatever else it is called.
const FIELD_ROLES = new Set([
  ...WIDGETS,
  ...'grid listbox menu meter none presentation progressbar radiogroup tree treegrid'.split(' '),
]);
// Attributes that hold for every role: whoever has one is told to assistive software.
const GLOBAL_ATTRIBUTES = (
  'atomic busy controls current describedby description details flowto keyshortcuts label labelledby live' +
  ' owns relevant roledescription'
)
  .split(' ')
  .map((name) => `aria-${name}`);
const ATTRIBUTES_BESIDE_NAMES = GLOBAL_ATTRIBUTES.filter((name) => !name.startsWith('aria-label'));

// Whether a name was given to an element itself.
const hasLabel = (el) =>
  isFilled(el, 'aria-label') ||
  (el.hasAttribute('aria-labelledby') && elementsByIds(el, 'aria-labelledby').some(hasLabelText));
const hasLabelText = (label) =>
  !BLANK.test(textContentOf(label)) ||
  firstElementChildOf(label) !== null ||
  label.matches('img, input, select, [aria-label], [title]');
const isFilled = (el, attribute) => (el.getAttribute(attribute) || '').trim() !== '';
const hasName = (el) => hasLabel(el) || isFilled(el, 'title');

function isInsideOf(el, selector) {
  const parent = parentElementOf(el);
  return parent !== null && closestMatch(parent, selector) !== null;
}

function isSectioned(el) {
  return isInsideOf(el, `${SECTIONS}, ${SECTION_ROLES}`);
}

function headingLevelOf(el) {
  const given = parseInt(el.getAttribute('aria-level'), 10);
  if (given > 0) return given;
  return HEADING_TAG.test(el.tagName) ? Number(el.tagName[1]) : 2;
}

function isList(parent) {
  return (
    parent !== null &&
    (parent.hasAttribute('role')
      ? /^(?:list|directory)$/.test(roleOf(parent)) ||
        (/^(?:UL|OL|MENU)$/.test(parent.tagName) && roleOf(parent) !== 'none')
      : /^(?:UL|OL|MENU)$/.test(parent.tagName))
  );
}

// Whether an item is one of a list that it does not stand right in: through a slot, in boxes without a
// role, or because the list says so.
const LIST_BOUNDS = new Set(['LI', 'BODY']);
const isListedElsewhere = (item) => isInList(shownParentOf(item)) || isOwned(item);
const isInList = oncePerTurn((around) => {
  let at = around;
  while (at !== null && !LIST_BOUNDS.has(at.tagName) && roleOf(at) === '') at = shownParentOf(at);
  return isList(at);
});

// What an element of a description list is: nothing in one that only lays out.
function descriptionListRole(role) {
  return (el) => {
    const list = closestMatch(el, 'dl');
    return list !== null && list.hasAttribute('role') && roleOf(list) === 'none' ? '' : role;
  };
}

// What an element of a table is: nothing in one that only lays out, another thing in a grid.
function tablePartRole(role, inGrid = role) {
  return (el) => {
    const kind = tableRole(parentElementOf(el));
    return kind === '' ? role : kind === 'none' ? '' : /grid$/.test(kind) ? inGrid : role;
  };
}

// The role that a table was given, if any, by what stands in it: all cells of a row ask it.
const tableRole = oncePerTurn((inner) => {
  const table = inner === null ? null : closestMatch(inner, 'table');
  if (table === null || !table.hasAttribute('role')) return '';
  const role = roleOf(table);
  // What was given the role of a row has cells, whatever its table is there for.
  return role === 'none' && inner.hasAttribute('role') && roleOf(inner) === 'row' ? '' : role;
});

const holdsData = (cell) =>
  cell.tagName === 'TD' && (firstElementChildOf(cell) !== null || /\S/.test(textContentOf(cell)));

// A head cell is that of its row if cells with data stand in it, that of its column otherwise.
function headerRole(el) {
  const table = el.closest('table');
  if (tableRole(el.parentElement) === 'none') return '';
  const { scope } = el;
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const row = el.parentElement;
  if (scope !== '' || row === null) return 'columnheader';
  if (table?.rows.length === 1 && row.cells?.length === 1) return ''; // it heads nothing
  return hasData(row) ? 'rowheader' : 'columnheader';
}

// All head cells of a row ask it.
const hasData = oncePerTurn((row) => [...childElementsOf(row)].some(holdsData));

function isFocusable(el) {
  const index = el.getAttribute('tabindex');
  if (index !== null && !Number.isNaN(parseInt(index, 10))) return !el.matches(':disabled');
  return (
    el.matches(
      ':is(a, area)[href], :is(button, input, select, textarea):not(:disabled), summary, iframe',
    ) || isEditingHost(el)
  );
}

function roleOf(el) {
  const given = el.getAttribute('role');
  if (given) {
    for (const word of given.toLowerCase().split(/\s+/)) {
      if (
        !ROLES.has(word) ||
        ((word === 'region' || word === 'form') && !hasName(el)) ||
        (CONTROL_TAGS.has(el.tagName) && !FIELD_ROLES.has(word)) ||
        isOrphan(el, word)
      )
        continue;
      if (word !== 'none' && word !== 'presentation') return ALIASES.get(word) ?? word;
      // Whoever can be focused, or says something of itself, is not presentational.
      if (!isFocusable(el) && !GLOBAL_ATTRIBUTES.some((name) => isFilled(el, name))) return 'none';
      break;
    }
  }
  return nativeRole(el);
}

// A role as it is told: what is presentational goes by its tag, as what has no role.
const toldRoleOf = (el) => {
  const role = roleOf(el);
  return role === 'none' ? '' : role;
};

// What items have to stand in. What is a control or a landmark by itself is that where its role has no
// such context, as ARIA says, unless it tells a state that only the role explains. Other items keep
// their role: without it nobody would know what they are.
const ITEM_CONTEXTS = new Map(
  [
    ['ul, ol, menu, [role~=list], [role~=directory]', 'listitem'],
    ['[role~=listbox], [role~=group]', 'option'],
    ['[role~=menu], [role~=menubar], [role~=group]', 'menuitem menuitemcheckbox menuitemradio'],
    ['[role~=tablist]', 'tab'],
    ['[role~=tree], [role~=group]', 'treeitem'],
    ['tr, [role~=row]', 'cell gridcell columnheader rowheader'],
  ].flatMap(([context, roles]) => {
    const standsIn = oncePerTurn((el) => isWithin(el, context)); // all items of one list ask the same
    return roles.split(' ').map((role) => [role, standsIn]);
  }),
);
const KNOWN_ROLES = new Set([
  ...WIDGETS,
  ...'article banner complementary contentinfo form main navigation region search'.split(' '),
]);
const ITEM_STATES = ['aria-selected', 'aria-checked', 'aria-expanded'];

// Whether an element, or anything that it is shown in, matches.
function isWithin(el, selector) {
  let at = el;
  while (at) {
    if (closestMatch(at, selector) !== null) return true;
    while (assignedSlotOf(at) === null && parentElementOf(at) !== null) at = parentElementOf(at);
    at = assignedSlotOf(at) || hostOf(rootNodeOf(at));
  }
  return false;
}

const isOrphan = (el, role) =>
  ITEM_CONTEXTS.has(role) &&
  (role === 'listitem' || isKnownOtherwise(el)) &&
  !ITEM_CONTEXTS.get(role)(shownParentOf(el)) &&
  !isOwned(el);

const isKnownOtherwise = (el) =>
  TAG_ROLES[el.tagName] !== undefined &&
  KNOWN_ROLES.has(nativeRole(el)) &&
  !ITEM_STATES.some((name) => el.hasAttribute(name));

const isOwned = (el) =>
  el.id !== '' &&
  [...allMatches(rootNodeOf(el), '[aria-owns]')].some((owner) =>
    elementsByIds(owner, 'aria-owns').includes(el),
  );

function nativeRole(el) {
  const role = TAG_ROLES[capitalTagOf(el)];
  if (role === undefined)
    return isEditingHost(el) ? 'textbox' : tagOf(el).includes('-') ? internalRoleOf(el) : '';
  const found = typeof role === 'string' ? role : role(el);
  return found === 'none' &&
    (hasName(el) || isFocusable(el) || ATTRIBUTES_BESIDE_NAMES.some((name) => isFilled(el, name)))
    ? 'img'
    : found;
}

function isEditingHost(el) {
  if (!el.isContentEditable) return false;
  // Of a document in design mode, all of which can be edited, it is the body.
  if (tagOf(el) === 'BODY') return true;
  return el.parentElement === null
    ? el !== rootElementOf(documentOf(el))
    : !el.parentElement.isContentEditable;
}
