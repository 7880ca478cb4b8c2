// What a field is called by the words beside it, where it has no label of its own.

const LABELLED_ROLES = new Set([...FIELDS, 'listbox', 'checkbox', 'radio', 'switch']);
const TICK_ROLES = new Set(['checkbox', 'radio', 'switch']); // their words stand behind them
const FIELD_SELECTOR =
  'input:not([type=hidden]), select, textarea, button, [contenteditable=""], [contenteditable=true],' +
  ' [role=textbox], [role=combobox], [role=listbox], [role=checkbox], [role=radio], [role=slider], [role=spinbutton], [role=switch]';
const BOUNDARY_TAGS = new Set([
  'BODY',
  'FORM',
  'FIELDSET',
  'TABLE',
  'TBODY',
  'TR',
  'LI',
  'SECTION',
  'ARTICLE',
  'MAIN',
  'DIALOG',
]);
// and no label
const LIST_SELECTOR =
  'ul, ol, menu, table, [role=list], [role=listbox], [role=menu], [role=menubar], [role=tablist], [role=grid], [role=tree], [role=treegrid]';
const MAX_LABEL = 100; // characters: what is longer is no label
const MAX_STEPS_UP = 5;
const MAX_STEPS_TO_LABEL = 9; // to a label that belongs to no field
const MAX_STAND_IN_STEPS = 8;
const ENTRY_FIELDS = 'input:not([type=hidden]), select, textarea';
const ITEM_SELECTOR = 'li, tr, [role=row], [role=listitem], [role=option], [role=treeitem]';
const MAX_SIBLING_ITEMS = 8; // items of a list that are looked at
const NO_WORDS = { text: '', field: false, node: null };
const TYPED_INPUTS = /^(?:text|search|url|tel|email|password|number)$/;
const DRAWN_LISTS = '[role=combobox], [aria-haspopup=listbox]';
const TOKEN_CLASS = /(?:^|[-_\s])(?:tag|chip|token|pill)(?:$|[-_\s])/i; // a value that a field holds
const LABEL_ENDS = new Set(' :*?–-');

const ERROR_CLASS =
  /(?:^|[-_\s])(?:errors?|invalid)(?=$|[-_\s])|error-?(?:message|msg|text|list|note)|(?:field|form|input)-?error/i;

// Whether an element says what is wrong with a field.
const isErrorText = (el) => ERROR_CLASS.test(getAttributeOf(el, 'class') ?? '');

// Whether an element counts the lines of an editor beside it.
const isGutter = (el) =>
  getAttributeOf(el, 'aria-hidden') === 'true' && !/\p{L}/u.test(textContentOf(el));

const HELD_FIELDS =
  'input:not([type=hidden]), select, textarea, [contenteditable=""], [contenteditable=true], [role=textbox], [role=combobox],' +
  ' [role=checkbox], [role=radio], [role=slider], [role=spinbutton], [role=switch]';

// The custom element that a field alone is made for, if a label is that element's.
function labelledHostOf(field) {
  let at = composedParentOf(field);
  for (let steps = 0; at && steps < MAX_STEPS_UP; at = composedParentOf(at), steps++) {
    if (nodeTypeOf(at) !== Node.ELEMENT_NODE || !tagOf(at).includes('-') || !labelsOf(at).length)
      continue;
    const held = [at, shadowRootOf(at)].flatMap((tree) =>
      tree === null ? [] : [...tree.querySelectorAll(HELD_FIELDS)],
    );
    return held.every((one) => one === field) ? at : null;
  }
  return null;
}

let besideLabels = new WeakMap(); // for the time of one reading

// The words without the colon or the star at their end.
function trimLabel(words) {
  const text = squeeze(words);
  let end = text.length;
  while (end > 0 && LABEL_ENDS.has(text[end - 1])) end--;
  return text.slice(0, end);
}

const isLink = (node) => nodeTypeOf(node) === 1 && tagOf(node) === 'A';
// Whether a control says that it opens a list, or a box around a button and nothing else does.
function opensListbox(control, role) {
  if (getAttributeOf(control, 'aria-haspopup') === 'listbox') return true;
  const around = role === 'button' ? parentElementOf(control) : null;
  return (
    around !== null &&
    getAttributeOf(around, 'aria-haspopup') === 'listbox' &&
    allMatches(around, FIELD_SELECTOR).length === 1
  );
}

const isFieldNode = (node) => nodeTypeOf(node) === 1 && node.matches(FIELD_SELECTOR);
const containsField = (node) =>
  nodeTypeOf(node) === 1 &&
  (isFieldNode(node) || node.querySelector(FIELD_SELECTOR) !== null || hasFieldInTree(node));

// Whether a field stands in the shadow tree of an element, or in that of one at its top.
function hasFieldInTree(host) {
  const root = tagOf(host).includes('-') ? shadowRootOf(host) : null;
  return root !== null && [...root.children].some(containsField);
}

function labelBesideOf(el) {
  let found = besideLabels.get(el);
  if (found === undefined) {
    found = clobbered(el) ? '' : findAdjacentLabel(el);
    besideLabels.set(el, found);
  }
  return found;
}

// Whether its name is none that a person would call it by.
const isUnlabelled = (el, role, name) =>
  LABELLED_ROLES.has(role) && (name === '' || name === squeeze(el.placeholder || ''));

const isNamedBeside = (el, role, acts) =>
  acts && LABELLED_ROLES.has(role) && labelBesideOf(el) !== '';

const elementsOfId = (el) => [...allMatches(rootNodeOf(el), `#${CSS.escape(el.id)}`)];

// Whether another element of the same id shows, and a label's own control does not: a page that has its
// form twice, in a dialog as well, has its ids twice, and Chromium takes the first.
function isLabelOfTwin(label, control) {
  return (
    control.id !== '' &&
    label.htmlFor === control.id &&
    !control.checkVisibility() &&
    elementsOfId(control).some((one) => one !== control && one.checkVisibility())
  );
}

// Whether a label's control is not there for anyone: a click on the label ticks a box that does not show, and
// opens a list or a picker, but what is typed into takes nothing.
const isLabelOfAnother = (label, control) =>
  (((control.tagName === 'INPUT' && TYPED_INPUTS.test(control.type)) ||
    control.tagName === 'TEXTAREA') &&
    isSetAside(control)) ||
  isStoodInFor(control) ||
  isLabelOfTwin(label, control);

// Whether what is drawn around or beside a list that is not shown is used in its place, and has its label: of a
// list of several, that may be a field that is typed into.
function isStoodInFor(control) {
  if (control.tagName !== 'SELECT' || !isSetAside(control)) return false;
  const label = trimLabel(labelName(control));
  const isStandIn = (one) => visibleBoxOf(one) !== null && labelOfStandIn(one) === label;
  const around = closestMatch(control, DRAWN_LISTS);
  if (around !== null && isStandIn(around)) return true;
  return [...allMatches(parentElementOf(control), `input, ${DRAWN_LISTS}`)].some(
    (one) =>
      (one.tagName === 'INPUT' ? control.multiple && TYPED_INPUTS.test(one.type) : true) &&
      isStandIn(one),
  );
}

const isLabelOfField = (node) =>
  nodeTypeOf(node) === 1 &&
  tagOf(node) === 'LABEL' &&
  Boolean(node.control) &&
  !isLabelOfAnother(node, node.control);

// Whether words beside a field are the ends and the steps of a scale, which name no slider.
const isScaleOf = (el, text) => !/\p{L}/u.test(text) && roleOf(el) === 'slider';

// The words of a label right before a field that belongs to no field, or to one that does not show.
function precedingLabelOf(el) {
  for (
    let at = el, steps = 0;
    at && steps < MAX_STEPS_TO_LABEL && !/^T[DH]$/.test(tagOf(at));
    at = parentElementOf(at), steps++
  ) {
    if (BOUNDARY_TAGS.has(tagOf(at)) && at !== el) return '';
    for (let one = nextSibling(at, -1); one; one = nextSibling(one, -1)) {
      if (nodeTypeOf(one) === 1 && !one.checkVisibility()) continue; // such as the list that a field is drawn for
      if (nodeTypeOf(one) === 1 && TOKEN_CLASS.test(getAttributeOf(one, 'class') ?? '')) continue;
      if (containsField(one) && !isStepButton(one)) return '';
      const text = trimLabel(labelTextOf(one));
      if (!text || isLink(one) || isScaleOf(el, text)) continue; // as to a page of help
      return isFreeLabel(one) && text.length <= MAX_LABEL ? text : '';
    }
  }
  return '';
}

// Whether a node is a label of no field that shows, or a box that holds such a label and nothing else.
function isFreeLabel(node) {
  if (nodeTypeOf(node) !== 1) return false;
  const label = tagOf(node) === 'LABEL' ? node : onlyElementIn(node);
  return (
    label !== null &&
    tagOf(label) === 'LABEL' &&
    (!label.control || isLabelOfAnother(label, label.control))
  );
}

const onlyElementIn = (el) => (el.children.length === 1 ? el.children[0] : null);
// What counts a number down or up stands beside its field and has no words.
const isStepButton = (node) =>
  tagOf(node) === 'BUTTON' && !/[\p{L}\p{N}]/u.test(textContentOf(node));

// Whether a control is kept for its form alone: it does not show, or it was moved out of the page.
const isSetAside = (control) =>
  !control.checkVisibility() ||
  (control.tabIndex < 0 && isBeyondScroll(control, getComputedStyle(control).position));

// What is written in a field that is drawn: a box to tick has its label drawn, and nothing else.
const hiddenLabelledControls = oncePerTurn((root) =>
  [...labelsInRoot(root).keys()].filter(
    (one) => one && !/^(?:checkbox|radio|file)$/.test(one.type) && isSetAside(one),
  ),
);

// The label of a control that does not show and stands in or beside the one that is drawn for it.
function labelOfStandIn(el) {
  const unseen = hiddenLabelledControls(rootNodeOf(el));
  const held = unseen.find((one) => nodeContains(el, one));
  if (held) return trimLabel(labelName(held));
  for (
    let at = parentElementOf(el), steps = 0;
    unseen.length && at && steps < MAX_STAND_IN_STEPS;
    at = parentElementOf(at), steps++
  ) {
    if (
      [...at.querySelectorAll(ENTRY_FIELDS)].some(
        (one) => one !== el && !nodeContains(el, one) && !isSetAside(one),
      )
    )
      return '';
    const own = unseen.find((one) => nodeContains(at, one));
    if (own) return trimLabel(labelName(own));
  }
  return '';
}

// What an editor shows while it is empty, or the words beside it.
function editorLabel(editor) {
  const hint = [...editor.querySelectorAll('[class*="placeholder" i]')].find((one) =>
    one.checkVisibility(),
  );
  return (hint && squeeze(visibleTextOf(hint, MAX_LABEL))) || findAdjacentLabel(editor);
}

// What a field stands in; of one that is alone in a shadow tree, what that tree belongs to.
function aroundField(el) {
  const host = parentElementOf(el) === null ? hostOf(rootNodeOf(el)) : null;
  if (!host) return parentElementOf(el);
  return allMatches(rootNodeOf(el), FIELD_SELECTOR).length < 2 ? host : null;
}

function findAdjacentLabel(el) {
  const editor = editorAround(el);
  if (editor) return editorLabel(editor);
  const behind = TICK_ROLES.has(roleOf(el));
  const label = behind ? '' : labelOfStandIn(el) || precedingLabelOf(el);
  if (label) return label;
  const cell = closestMatch(el, '[role=gridcell]');
  if (cell) return columnHeaderText(cell);
  const inPlace = !behind && isEditedInPlace(el);
  let below = ''; // what stands under the field, for want of better words
  for (let at = el, steps = 0; at && steps < MAX_STEPS_UP; steps++) {
    const tag = tagOf(at);
    if (tag === 'TD' || tag === 'TH') return cellLabel(at, behind);
    if (BOUNDARY_TAGS.has(tag) && at !== el) return below;
    const before = wordsBeside(at, -1, el);
    const after = inPlace ? NO_WORDS : wordsBeside(at, 1, el);
    const words = chooseBeside(at, before, after, behind);
    if (words) return words;
    if (steps === 0 && !before.text && !before.field && !after.field) below = after.text;
    const around = aroundField(at);
    // Further out, words may be about the fields beside it as well.
    if ((steps > 0 || before.field || after.field) && (!around || hasFieldBeside(at)))
      return rowLabel(at) || below;
    if (!parentElementOf(at)) steps = 0; // how deep its own tree is says nothing
    at = around;
  }
  return below;
}

function hasFieldBeside(el) {
  for (const step of [previousElementSiblingOf, nextElementSiblingOf])
    for (let at = step(el); at; at = step(at)) if (containsField(at)) return true;
  return false;
}

// Whether a field stands in one item of a list, where the others have words only: what stands behind
// it there is data of the item, such as its date, and no label.
function isEditedInPlace(el) {
  const item = closestMatch(el, ITEM_SELECTOR);
  const others = item && parentElementOf(item) ? siblingsLike(item) : [];
  return others.length > 0 && !others.some(containsField);
}

// The first items beside one in its list.
function siblingsLike(item) {
  const others = [];
  for (
    let at = firstElementChildOf(parentElementOf(item));
    at && others.length < MAX_SIBLING_ITEMS;
    at = nextElementSiblingOf(at)
  ) {
    if (at !== item && tagOf(at) === tagOf(item)) others.push(at);
  }
  return others;
}

const columnHeadersOf = oncePerTurn((grid) => [...grid.querySelectorAll('[role=columnheader]')]);

// Between the cells of a row there may be handles by which columns are made wider.
const isGridCell = (el) => /^(?:gridcell|rowheader|cell)$/.test(getAttributeOf(el, 'role') ?? '');

// The header of a cell's column in a grid: the cells beside it hold data.
function columnHeaderText(cell) {
  const grid = closestMatch(cell, '[role=grid], [role=treegrid]');
  if (!grid) return '';
  const headers = columnHeadersOf(grid);
  const index = cell.getAttribute('aria-colindex');
  const header = index
    ? headers.find((one) => one.getAttribute('aria-colindex') === index)
    : headers[[...childElementsOf(parentElementOf(cell))].filter(isGridCell).indexOf(cell)];
  const words = header ? trimLabel(labelTextOf(header)) : '';
  return words.length <= MAX_LABEL ? words : '';
}

// Fields that stand side by side in the cells of a table.
function rowLabel(at) {
  const cell = at.closest('td, th');
  return cell ? cellLabel(cell, false) : '';
}

// The words next to a node around a field on one side, up to the next field there; with their box.
function wordsBeside(node, way, el) {
  const parts = [];
  let field = false;
  let range = null;
  for (let at = nextSibling(node, way); at; at = nextSibling(at, way)) {
    if (containsField(at) || isLabelOfField(at)) {
      field = true;
      break;
    }
    const text = labelTextOf(at);
    if (!text || isScaleOf(el, text)) {
      if (parts.length && nodeTypeOf(at) === 1 && tagOf(at) === 'BR') break;
      continue;
    }
    if (parts.length && isBlock(at)) break;
    parts.push(text);
    range = range || at;
    if (isBlock(at)) break;
  }
  const text = trimLabel((way < 0 ? parts.reverse() : parts).join(' '));
  return { text: text.length <= MAX_LABEL ? text : '', field, node: range };
}

const nextSibling = (node, way) => (way < 0 ? node.previousSibling : node.nextSibling);
const isBlock = (node) =>
  nodeTypeOf(node) === 1 && !/^(inline|contents)/.test(getComputedStyle(node).display);

function labelTextOf(node) {
  if (nodeTypeOf(node) === 3) return node.data.trim() ? node.data : '';
  if (
    nodeTypeOf(node) !== 1 ||
    UNRENDERED_TAGS.has(tagOf(node)) ||
    clobbered(node) ||
    isErrorText(node) ||
    isGutter(node) ||
    node.matches(LIST_SELECTOR) ||
    node.querySelector(LIST_SELECTOR)
  )
    return '';
  return textContentOf(node).length > 5 * MAX_LABEL ? '' : visibleTextOf(node, MAX_LABEL);
}

// Of words on both sides those in the same line, else those before; a box to tick has them behind.
function chooseBeside(el, before, after, behind) {
  if (!before.text || !after.text) {
    // Words behind a field that follow it belong to it only where no field comes next to them.
    if (before.text)
      return before.field && !behind && !isInLine(el, before.node) ? '' : before.text;
    return after.text && (behind || isInLine(el, after.node)) ? after.text : '';
  }
  const [left, right] = [isInLine(el, before.node), isInLine(el, after.node)];
  if (left !== right) return left ? before.text : after.text;
  return behind ? after.text : before.text;
}

function isInLine(el, node) {
  const one = boxOfNode(el);
  const other = boxOfNode(node);
  return one.top < other.bottom && other.top < one.bottom;
}

function boxOfNode(node) {
  if (nodeTypeOf(node) === 1) return node.getBoundingClientRect();
  const range = rangeIn(documentOf(node));
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

// The cell before it in the row, or behind a box to tick; in a table of fields its column and its row.
function cellLabel(cell, behind) {
  const row = parentElementOf(cell);
  const before = labelFromCells(cell, 'previousElementSibling');
  const label = before || (behind ? labelFromCells(cell, 'nextElementSibling') : '');
  const column = columnLabel(cell, row);
  return squeeze(`${column} ${label}`);
}

function labelFromCells(cell, side) {
  for (let at = cell[side]; at; at = at[side]) {
    if (containsField(at)) return '';
    const text = trimLabel(labelTextOf(at));
    if (text) return text.length <= MAX_LABEL ? text : '';
  }
  return '';
}

// What the first row says above a cell, where it is made of headers.
function columnLabel(cell, row) {
  const table = cell.closest('table');
  const first = table?.rows[0];
  if (!first || first === row || ![...first.cells].every((one) => tagOf(one) === 'TH')) return '';
  const header = first.cells[cell.cellIndex];
  return header && !containsField(header) ? squeeze(labelTextOf(header)).slice(0, MAX_LABEL) : '';
}
