// Rows of virtual lists and grids: a script shows others in the same elements, and says which. A ref
// goes with the row, not with the element.

const ROW_KEYS = [
  'aria-rowindex',
  'row-index',
  'data-row-index',
  'data-rowindex',
  'data-index',
  'data-item-index',
  'aria-posinset',
];
const KEYS = ROW_KEYS.map((name) => `[${name}]`);
const KEYED_SELECTOR = KEYS.join(',');
const numbersInRows = new WeakMap(); // by what holds the rows: number of an element by its key
let keyedByDocument = new WeakMap(); // whether a document has such rows, for the time of one reading
let rowLookups = 0; // elements in one reading: the first few cost less than a search of the document

function mayBeKeyed(doc) {
  if (++rowLookups < MAX_SINGLE_CHECKS) return true;
  let found = keyedByDocument.get(doc);
  if (found === undefined) {
    found = KEYS.some((key) => firstMatch(doc, key) !== null); // one by one, see IMPLICIT_ACTIONS
    keyedByDocument.set(doc, found);
  }
  return found;
}

// What holds the row that an element stands in, and the element's key there: the row's, and its place in it.
function rowKeyOf(el) {
  const row =
    mayBeKeyed(documentOf(el)) && !clobbered(el) ? closestMatch(el, KEYED_SELECTOR) : null;
  const holder = row && parentElementOf(row);
  if (!holder) return null;
  const name = ROW_KEYS.find((one) => row.hasAttribute(one));
  let key = `${name}=${row.getAttribute(name)}`;
  for (let at = el; at !== row; at = parentElementOf(at))
    key += ` ${tagOf(at)}${at.getAttribute('aria-colindex') || [...childElementsOf(parentElementOf(at))].indexOf(at)}`;
  return { holder, key };
}

// The number of an element in such a row: another one if it shows another row now, and the one that
// its row had in another element.
function numberInRow(el, number, { holder, key }) {
  const role = roleOf(el);
  const { words } = distinguishingWords(el, role);
  const known = identities.get(number);
  if (known !== undefined && (known.rowKey === key || isSameText(known.words, words)))
    return number;
  const before = numbersInRows.get(holder)?.get(key);
  const row = identities.get(before);
  return row !== undefined &&
    row.role === role &&
    row.rowKey === key &&
    isSameText(row.words, words)
    ? before
    : undefined;
}

function keepRowNumber(number, { holder, key }) {
  if (!numbersInRows.has(holder)) numbersInRows.set(holder, new Map());
  numbersInRows.get(holder).set(key, number);
  const known = identities.get(number);
  if (known) known.rowKey = key;
}
