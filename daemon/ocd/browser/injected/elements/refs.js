// Numbers of elements: one counter for the tab, handed in with every call; never given twice.

const numberByElement = new WeakMap();
const elementByNumber = new Map();
const nonce = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join(
  '',
);
let nextNumber = 1;

function refOf(el, role, name) {
  let number = numberByElement.get(el);
  const row = rowKeyOf(el);
  if (row !== null) number = numberInRow(el, number, row);
  if (number === undefined) number = nextNumber++;
  if (numberByElement.get(el) !== number || row !== null) {
    numberByElement.set(el, number);
    elementByNumber.set(number, new WeakRef(el));
  }
  recordIdentity(number, el, row?.key, role, name);
  if (row !== null) keepRowNumber(number, row);
  return number;
}

// Numbers of calls whose answers were lost: nobody was told them, and they may be another's by now.
function forgetUnrecorded(ranges) {
  for (const [number, held] of elementByNumber) {
    if (ranges.some(([first, following]) => first <= number && number < following)) continue;
    const el = held.deref();
    if (el && numberByElement.get(el) === number) numberByElement.delete(el);
    elementByNumber.delete(number);
    identities.delete(number);
  }
}

// Whether the element stands in a document that is shown now.
function isPresent(el) {
  let node = el;
  for (;;) {
    const view = windowOf(documentOf(node));
    if (!node.isConnected || !view) return false;
    if (view === window) return true;
    node = view.frameElement;
    if (!node) return false;
  }
}

// The element of a number, null if it is gone; the reason is for people.
function elementOf(number) {
  const el = elementByNumber.get(number)?.deref();
  if (!el) {
    elementByNumber.delete(number);
    return null;
  }
  return isPresent(el) ? el : null;
}

// The first element that a selector matches: in the document, then in shadow trees and frames.
function query(selector, scope = document) {
  const found = firstMatch(scope, selector);
  if (found) return found;
  for (const host of allMatches(scope, '*')) {
    const inner = shadowRootOf(host) || (FRAME_TAGS.has(host.tagName) ? innerDocument(host) : null);
    const deep = inner && query(selector, inner);
    if (deep) return deep;
  }
  return null;
}

// Elements that may hide a closed shadow tree, and empty ones that may listen to clicks: CDP alone
// can tell. Each is put here once.
const probed = new WeakSet();
let shadowSuspects = [];
const MIN_SUSPECTS = 200;
const MAX_SUSPECTS = 3200;
let suspectLimit = MIN_SUSPECTS; // twice as many as before where closed shadow trees were found

const SHADOW_HOST_TAGS = new Set('DIV SECTION SPAN ARTICLE ASIDE MAIN NAV P'.split(' '));
const mayHostShadow = (tag) => SHADOW_HOST_TAGS.has(tag) || tag.includes('-');
const EMPTY_TARGETS = new Set('TD LI I A B EM LABEL'.split(' '));

function suspectHost(el) {
  const custom = tagOf(el).includes('-');
  if (!custom && firstChildOf(el)) return;
  if (probed.has(el) || el.firstElementChild || shadowSuspects.length >= suspectLimit) return;
  if (!mayHostShadow(tagOf(el)) && !EMPTY_TARGETS.has(tagOf(el))) return;
  if (!custom && (el.offsetHeight === 0 || el.offsetWidth === 0 || drawsTickedBox(el))) return;
  probed.add(el);
  shadowSuspects.push(el);
}

const MAX_DRAWINGS = 16; // in one reading: most icons only stand for the words beside them
let drawings = 0;
const TICKED_BOX = [
  'input[type=radio]',
  'input[type=checkbox]',
  '[role=radio]',
  '[role=checkbox]',
].join();

// Whether an element shows the state of a box beside it, which is told by itself.
function drawsTickedBox(el) {
  const parent = parentElementOf(el);
  return [parent, parent && parentElementOf(parent)].some(
    (box) =>
      box &&
      firstKids(box).some(
        (kid) => kid.matches(TICKED_BOX) || firstKids(kid).some((one) => one.matches(TICKED_BOX)),
      ),
  );
}

const FEW_KIDS = 8; // more do not belong to one box
const firstKids = (el) => (childElementsOf(el).length > FEW_KIDS ? [] : [...childElementsOf(el)]);

// An icon on which a person may click, or what shows nothing else.
function suspectDrawing(el) {
  if (drawsTickedBox(el)) return;
  const parent = parentElementOf(el);
  const alone =
    parent !== null && parent.childElementCount === 1 && BLANK.test(textContentOf(parent));
  for (const one of alone ? [el, parent] : [el]) {
    if (drawings >= MAX_DRAWINGS || shadowSuspects.length >= suspectLimit) return;
    if (
      probed.has(one) ||
      boundingBoxOf(one).width > MAX_ICON ||
      boundingBoxOf(one).width < MIN_CLICKED
    )
      continue;
    drawings++;
    probed.add(one);
    shadowSuspects.push(one);
  }
}

const MAX_ASKED = 64; // suspects whose listeners are asked for: more are cells without data
const MAX_WRAPPERS = 2;

// The outermost box around an empty element that has nothing else in it: it may listen to clicks for an icon. What takes
// the focus itself, such as the handle of a slider, is a control without it.
function wrapperOf(el) {
  if (el.hasAttribute('tabindex')) return null;
  let wrapper = null;
  let at = parentElementOf(el);
  for (let level = 0; level < MAX_WRAPPERS && at !== null; level++, at = parentElementOf(at)) {
    if (!mayHostShadow(tagOf(at)) || at.childElementCount !== 1 || !BLANK.test(textContentOf(at)))
      break;
    wrapper = at;
  }
  return wrapper === null || probed.has(wrapper) || boundingBoxOf(wrapper).width > MAX_ICON
    ? null
    : wrapper;
}

function takeSuspects() {
  const wrappers = shadowSuspects.length < MAX_ASKED ? shadowSuspects.map(wrapperOf) : [];
  const found = shadowSuspects;
  for (const wrapper of wrappers) {
    if (wrapper === null || found.length >= MAX_ASKED) continue;
    probed.add(wrapper);
    found.push(wrapper);
  }
  shadowSuspects = [];
  drawings = 0;
  suspectLimit = MIN_SUSPECTS;
  return found;
}

let clickableRefs = []; // references to elements that listen to clicks though nothing says so
const MIN_CLICKED = 8; // px
const RESIZE_CURSORS = /resize$|^(?:move|grab|grabbing|text)$/; // cursors of what is dragged to size something

// Remembers elements with such listeners; returns how many of them can be clicked.
function recordClickable(els) {
  const large = els.filter(
    (el) =>
      boundingBoxOf(el).width >= MIN_CLICKED &&
      boundingBoxOf(el).height >= MIN_CLICKED &&
      !RESIZE_CURSORS.test(getComputedStyle(el).cursor),
  );
  clickableRefs = [
    ...clickableRefs.filter((one) => one.deref()),
    ...large.map((el) => new WeakRef(el)),
  ];
  return large.length;
}

// Each closed shadow tree behind its host.
function adoptClosedRoots(...hostsAndRoots) {
  for (let at = 0; at < hostsAndRoots.length; at += 2)
    closedRoots.set(hostsAndRoots[at], hostsAndRoots[at + 1]);
  suspectLimit = Math.min(Math.max(MIN_SUSPECTS, hostsAndRoots.length), MAX_SUSPECTS);
}

// Everything that a selector or a number names, or the whole document.
function scopeOf(options) {
  if (options.ref) return elementOf(options.ref);
  return options.selector ? query(options.selector) : rootElementOf(document);
}
