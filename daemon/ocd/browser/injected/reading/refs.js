// Numbers of elements: one counter for the tab, handed in with every call; never given twice.

const numbers = new WeakMap();
const elements = new Map();
const nonce = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join('');
let nextNumber = 1;

function refOf(el, role, name) {
  let number = numbers.get(el);
  const row = rowKeyOf(el);
  if (row !== null) number = numberInRow(el, number, row);
  if (number === undefined) number = nextNumber++;
  if (numbers.get(el) !== number || row !== null) {
    numbers.set(el, number);
    elements.set(number, new WeakRef(el));
  }
  identityRecord(number, el, role, name);
  if (row !== null) keepRowNumber(number, row);
  return number;
}

// Numbers of calls whose answers were lost: nobody was told them, and they may be another's by now.
function forgetUnrecorded(ranges) {
  for (const [number, held] of elements) {
    if (ranges.some(([first, following]) => first <= number && number < following)) continue;
    const el = held.deref();
    if (el && numbers.get(el) === number) numbers.delete(el);
    elements.delete(number);
    identities.delete(number);
  }
}

// Whether the element stands in a document that is shown now.
function isPresent(el) {
  let node = el;
  for (;;) {
    const view = windowOf(ownerIn(node));
    if (!node.isConnected || !view) return false;
    if (view === window) return true;
    node = view.frameElement;
    if (!node) return false;
  }
}

// The element of a number, null if it is gone; the reason is for people.
function elementOf(number) {
  const el = elements.get(number)?.deref();
  if (!el) {
    elements.delete(number);
    return null;
  }
  return isPresent(el) ? el : null;
}

// The first element that a selector matches: in the document, then in shadow trees and frames.
function query(selector, scope = document) {
  const found = firstMatch(scope, selector);
  if (found) return found;
  for (const host of allMatches(scope, '*')) {
    const inner = rootOf(host) || (EMBEDDING.has(host.tagName) ? innerDocument(host) : null);
    const deep = inner && query(selector, inner);
    if (deep) return deep;
  }
  return null;
}

// Elements that may hide a closed shadow tree, and empty ones that may listen to clicks: CDP alone
// can tell. Each is put here once.
const probed = new WeakSet();
let suspects = [];
const FIRST_SUSPECTS = 200;
const MAX_SUSPECTS = 3200;
let mostSuspects = FIRST_SUSPECTS; // twice as many as before where closed shadow trees were found

const HIDING = new Set('DIV SECTION SPAN ARTICLE ASIDE MAIN NAV P'.split(' '));
const mayHide = (tag) => HIDING.has(tag) || tag.includes('-');
const EMPTY_TARGETS = new Set('TD LI I A B EM LABEL'.split(' '));

function suspectHost(el) {
  const custom = tagOf(el).includes('-');
  if (!custom && firstOf(el)) return;
  if (probed.has(el) || el.firstElementChild || suspects.length >= mostSuspects) return;
  if (!mayHide(tagOf(el)) && !EMPTY_TARGETS.has(tagOf(el))) return;
  if (!custom && (el.offsetHeight === 0 || el.offsetWidth === 0 || drawsTickedBox(el))) return;
  probed.add(el);
  suspects.push(el);
}

const MAX_DRAWINGS = 16; // in one reading: most icons only stand for the words beside them
let drawings = 0;
const TICKED_BOX = ['input[type=radio]', 'input[type=checkbox]', '[role=radio]', '[role=checkbox]'].join();

// Whether an element shows the state of a box beside it, which is told by itself.
function drawsTickedBox(el) {
  const parent = parentIn(el);
  return [parent, parent && parentIn(parent)].some((box) => box && firstKids(box).some((kid) => kid.matches(TICKED_BOX) || firstKids(kid).some((one) => one.matches(TICKED_BOX))));
}

const FEW_KIDS = 8; // more do not belong to one box
const firstKids = (el) => (childElementsOf(el).length > FEW_KIDS ? [] : [...childElementsOf(el)]);

// An icon on which a person may click, or what shows nothing else.
function suspectDrawing(el) {
  if (drawsTickedBox(el)) return;
  const parent = parentIn(el);
  const alone = parent !== null && parent.childElementCount === 1 && BLANK.test(contentIn(parent));
  for (const one of alone ? [el, parent] : [el]) {
    if (drawings >= MAX_DRAWINGS || suspects.length >= mostSuspects) return;
    if (probed.has(one) || boxIn(one).width > MAX_ICON || boxIn(one).width < MIN_CLICKED) continue;
    drawings++;
    probed.add(one);
    suspects.push(one);
  }
}

function takeSuspects() {
  const found = suspects;
  suspects = [];
  drawings = 0;
  mostSuspects = FIRST_SUSPECTS;
  return found;
}

let clickableRefs = []; // references to elements that listen to clicks though nothing says so
const MIN_CLICKED = 8; // px
const HANDLE = /resize$|^(?:move|grab|grabbing|text)$/; // cursors of what is dragged to size something

// Remembers elements with such listeners; returns how many of them can be clicked.
function recordClickable(els) {
  const large = els.filter((el) => boxIn(el).width >= MIN_CLICKED && boxIn(el).height >= MIN_CLICKED && !HANDLE.test(getComputedStyle(el).cursor));
  clickableRefs = [...clickableRefs.filter((one) => one.deref()), ...large.map((el) => new WeakRef(el))];
  return large.length;
}

// Each closed shadow tree behind its host.
function adopt(...hostsAndRoots) {
  for (let at = 0; at < hostsAndRoots.length; at += 2) closedRoots.set(hostsAndRoots[at], hostsAndRoots[at + 1]);
  mostSuspects = Math.min(Math.max(FIRST_SUSPECTS, hostsAndRoots.length), MAX_SUSPECTS);
}

// Everything that a selector or a number names, or the whole document.
function scopeOf(options) {
  if (options.ref) return elementOf(options.ref);
  return options.selector ? query(options.selector) : rootElementOf(document);
}
