// Where to click on an element, and whether the click went there.

const CLICK_FRACTIONS = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
];
const MAX_TEXTS_TRIED = 20; // texts of an element that a click is tried on
// What takes a click for itself wherever it stands.
const CONTROL_SELECTOR =
  'a[href], button, input, select, textarea, summary, label, [onclick], [contenteditable=""], [contenteditable=true]';

function isControl(el) {
  if (clobbered(el)) return false;
  return el.matches(CONTROL_SELECTOR) || (el.hasAttribute('role') && WIDGETS.has(roleOf(el)));
}

// Whether what lies on top at a point is a control inside of the element, not the element itself.
function isInner(top, el) {
  for (let at = top; at && at !== el; at = composedParentOf(at)) if (isControl(at)) return true;
  return false;
}

// The first of these points that the element gets: with its place in the engine's window, and in `by`
// what covers the first of them if none is free. Points of controls inside are the last choice.
function firstUncovered(surface, points) {
  let inner = null;
  let covered = null;
  for (const [x, y] of points) {
    const found = toWindowPoint(surface, x, y);
    if (found.by) covered ||= found;
    else if (isInner(found.top, surface)) inner ||= found;
    else return found;
  }
  return inner || covered;
}

// The middle of the line that opens and closes details to which the page has given no summary.
function ownSummaryPoint(details) {
  const { left, top, width } = boundingBoxOf(details);
  const { paddingTop, lineHeight, fontSize } = getComputedStyle(details);
  const line = parseFloat(lineHeight) || parseFloat(fontSize);
  return [left + width / 2, top + details.clientTop + parseFloat(paddingTop) + line / 2];
}

// Whether it is a part of what is being edited: a click beside its words is one on another place.
const isEditedText = (el) => el.isContentEditable && !isEditingHost(el) && !isControl(el);

function pointsIn(surface, box) {
  if (isEditedText(surface)) return [...textPointsIn(surface), ...pointsOfBox(surface, box)];
  return pointsOfBox(surface, box);
}

function pointsOfBox(surface, box) {
  if (surface.tagName === 'DETAILS' && !hasSummary(surface)) return [ownSummaryPoint(surface)];
  const view = windowOf(documentOf(surface));
  const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
  const [width, height] = [
    Math.min(box.right, view.innerWidth) - left,
    Math.min(box.bottom, view.innerHeight) - top,
  ];
  return width <= 0 || height <= 0
    ? []
    : CLICK_FRACTIONS.map(([across, down]) => [left + width * across, top + height * down]);
}

// The middles of the texts of an element that stand in no control inside.
function textPointsIn(el) {
  const walker = walkerIn(
    documentOf(el),
    el,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      nodeTypeOf(node) === 1 && node !== el && isControl(node)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  const spots = [];
  while (spots.length < MAX_TEXTS_TRIED && walker.nextNode()) {
    const node = walker.currentNode;
    if (nodeTypeOf(node) !== 3 || !node.data.trim()) continue;
    const range = rangeIn(documentOf(el));
    range.selectNodeContents(node);
    const box = [...range.getClientRects()].find((one) => one.width > 0 && one.height > 0);
    if (box) spots.push([box.x + box.width / 2, box.y + box.height / 2]);
  }
  return spots;
}

function freePointOf(surface, box) {
  return firstUncovered(surface, pointsIn(surface, box));
}

// As freePointOf, and where only controls inside of the element lie there, one of its own texts.
function clickPointOf(surface, box) {
  const spot = freePointOf(surface, box);
  if (!spot || spot.by || !isInner(spot.top, surface)) return spot;
  const text = firstUncovered(surface, textPointsIn(surface));
  return text && !text.by ? text : spot;
}

// What gets the clicks on an element: one that they pass through is part of something that does.
function handlerOf(el) {
  const layer = el.tagName === 'CANVAS' ? inputLayerOver(el) : null;
  if (layer) return layer;
  const idle = el.tagName === 'LABEL' && !el.control; // it has nothing to pass a click on to
  // A button that clicks pass through is off; a combobox, or a field that only shows, is opened by the box around it.
  const opens = roleOf(el) === 'combobox' || el.readOnly === true;
  if (el.tagName === 'AREA') return el;
  if (isControl(el) && !idle && !opens) return hostTakingClicks(el) ?? el;
  let at = el;
  while (at && getComputedStyle(at).pointerEvents === 'none') at = composedParentOf(at);
  if (at !== el && opens) at = boxAtPlaceOf(el) || at;
  return !at || PAGE_TAGS.has(tagOf(at)) ? el : at;
}

// The element that a control is the inner part of, where that lets clicks through and the whole takes them.
function hostTakingClicks(el) {
  const host = hostOf(rootNodeOf(el)) ?? null;
  if (host === null || getComputedStyle(el).pointerEvents !== 'none') return null;
  return getComputedStyle(host).pointerEvents === 'none' ? null : host;
}

const DRAWN_SELECTOR = 'svg, img, canvas, video, iframe, input, button';

// What lies over a canvas beside it and draws nothing: it takes the mouse in the canvas's stead.
function inputLayerOver(canvas) {
  const { x, y, width, height } = boundingBoxOf(canvas);
  const hit = topElementAt(documentOf(canvas), x + width / 2, y + height / 2);
  if (!hit || nodeContains(hit, canvas) || /\S/.test(textContentOf(hit))) return null;
  if (hit.matches(DRAWN_SELECTOR) || hit.querySelector(DRAWN_SELECTOR)) return null;
  let at = hit;
  while (at && !nodeContains(at, canvas)) {
    const style = getComputedStyle(at);
    if (isDrawn(style.backgroundColor) || style.backgroundImage !== 'none') return null;
    at = composedParentOf(at);
  }
  return at && !PAGE_TAGS.has(tagOf(at)) ? hit : null;
}

// What a field that clicks pass through is drawn in, further out than what it stands in.
function boxAtPlaceOf(el) {
  const { x, y, width, height } = boundingBoxOf(el);
  const hit = topElementAt(documentOf(el), x + width / 2, y + height / 2);
  return hit && nodeContains(hit, el) && !PAGE_TAGS.has(tagOf(hit)) ? hit : null;
}

// Whether an element that can be clicked is made of several parts, each of which may be what is clicked.
function isCompound(el, role) {
  if (WIDGETS.has(role) || el.childElementCount === 0 || PAGE_TAGS.has(tagOf(el)) || clobbered(el))
    return false;
  let parts = 0;
  for (const kid of el.querySelectorAll('*')) if (ownText(kid) && ++parts > 1) return true;
  return false;
}

// The parts of a box that listen to clicks, where they say all that it says: then no click is meant for the
// box itself. Else none.
function clickParts(box, listening) {
  const outer = listening.filter(
    (one) =>
      visibleBoxOf(one) && !listening.some((other) => other !== one && nodeContains(other, one)),
  );
  const inParts = (node) => outer.some((one) => nodeContains(one, node));
  const texts = walkerIn(documentOf(box), box, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (texts.currentNode.data.trim() && !inParts(texts.currentNode)) return [];
  surroundingTexts = new Map();
  sectionTitles = new Map();
  return outer.map((el) => {
    const role = roleOf(el);
    const name = nameOf(el, role) || shortWordsOf(el);
    return { ref: `e${refOf(el)}`, line: lineOf({ el, role: role || 'text', name }, true) };
  });
}

const CLICK_EVENTS = [
  'pointerdown',
  'mousedown',
  'pointerup',
  'mouseup',
  'click',
  'auxclick',
  'dblclick',
  'contextmenu',
];
const GUARD_MS = 5000; // a click that comes later is somebody else's
let clickGuard = null;

const roleAndNameOf = (el) => `${roleOf(el)} ${nameOf(el, roleOf(el)) || shortWordsOf(el)}`;

// Whether what was hit is an element rendered anew: the pointer itself may have set that off.
function isReplacement(hit, called) {
  for (let at = hit; at && !PAGE_TAGS.has(tagOf(at)); at = composedParentOf(at))
    if (!clobbered(at) && roleAndNameOf(at) === called) return true;
  return false;
}

// What an element says of itself: the same before and after, unless the page has done something with it.
const looksOf = (el) =>
  [...el.attributes].map(({ name, value }) => `${name}=${value}`).join(' ') + textContentOf(el);

// Whether a click that began on an element was lost: it took the focus from a field, on which the page has moved the
// element away, or drawn it anew, before the mouse was let go. A person clicks again.
function isLost({ el, surface, place, called, looks, active, now, off, click }) {
  if (!off || click || now === active || !LABELLED_ROLES.has(roleOf(active))) return false;
  if (!isPresent(el)) return isReplacement(off, called);
  const there = visiblePlaceOf(surface);
  return there !== null && hasMoved(place, there) && looksOf(el) === looks;
}

function withhold(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Notes where the mouse is let go, if not on the element itself (`beside`), and keeps the second of two clicks from
// where the element has been.
function followClick(guard, event, beside, reached) {
  if (event.type === 'click' && reached) guard.click ||= event;
  else if (event.type === 'mousedown') guard.pressed ||= event.button === 0;
  else if (event.type === 'mouseup') guard.off ||= beside;
  else if (event.type === 'pointerdown' && !reached && isPresent(guard.el)) {
    const there = visiblePlaceOf(guard.surface);
    guard.fled = there !== null && hasMoved(guard.place, there);
  }
  if (guard.fled) withhold(event);
}

// Keeps the next click from everything but the element, and remembers what was in its way: an element
// may move, or be covered, between the look at it and the click, or between the first of two clicks and the second.
function guardClick(el) {
  clickGuard?.stop();
  const [surface] = surfaceOf(el);
  const handler = handlerOf(surface);
  const views = [];
  for (let view = windowOf(documentOf(surface)); view; view = view === window ? null : view.parent)
    views.push(view);
  const hosts = new Set();
  for (let host = hostOf(rootNodeOf(handler)); host; host = hostOf(rootNodeOf(host)))
    hosts.add(host);
  const until = performance.now() + GUARD_MS;
  const called = roleAndNameOf(el);
  const guard = {
    el,
    surface,
    called,
    place: visiblePlaceOf(surface),
    looks: looksOf(el),
    by: null,
    reached: false,
    fled: false,
    off: null,
    pressed: false,
    click: null,
    active: activeElementOf(document),
    stop: () =>
      CLICK_EVENTS.forEach((type) =>
        views.forEach((view) => view.removeEventListener(type, check, true)),
      ),
  };
  const check = (event) => {
    if (!event.isTrusted) return;
    const hit = event.composedPath()[0];
    // Of what is in a closed shadow tree, the host gets the event as far as we are told.
    const own = isPartOfTarget(hit, handler) || hosts.has(hit);
    const reached = own || (!isPresent(el) && isReplacement(hit, called));
    if (guard.reached) followClick(guard, event, own ? null : hit, reached);
    else if (!guard.by && reached) guard.reached = true;
    else if (!guard.by && performance.now() > until) guard.stop();
    else {
      guard.by ||= hit;
      withhold(event);
    }
  };
  for (const type of CLICK_EVENTS)
    for (const view of views) view.addEventListener(type, check, true);
  clickGuard = guard;
}

// What got in the way of the click that was guarded, '' for nothing; and the frame that got all of it, which
// has the focus since: of what happens in a frame of another origin nothing is heard here.
function clickOutcome(guard, changesMore) {
  if (!guard) return { missed: '', swallowed: '', fled: false, unclicked: null, kept: false };
  const now = activeElementOf(document);
  const frame =
    !guard.by && !guard.reached && now !== guard.active && now && FRAME_TAGS.has(tagOf(now))
      ? now
      : null;
  const missed = guard.by || (isLost({ ...guard, now }) && guard.off);
  return {
    missed: missed ? describe(missed) : '',
    swallowed: frame ? describe(frame) : '',
    fled: guard.fled,
    unclicked: missed ? null : unclickedBy(guard, changesMore),
    kept: keepsLink(guard),
  };
}

function takeClickGuard() {
  const guard = clickGuard;
  clickGuard = null;
  guard?.stop();
  return guard;
}

// Why a press on an element was not followed by a click on it: the page has taken it away meanwhile, or its use.
// null if it was, or if the page has acted on the press instead.
function unclickedBy({ el, surface, pressed, click }, changesMore) {
  if (!pressed || click) return null;
  const gone = !isPresent(el);
  const off = gone ? '' : disabledReason(el, false);
  if (!gone && !off && visiblePlaceOf(surface)) return null;
  if (changesMore()) return null;
  const text = 'the page did so when the mouse was pressed on it, so it was not clicked';
  if (off) return { why: 'not_enabled', text: `${off}: ${text}` };
  return { why: gone ? 'detached' : 'not_visible', text };
}

// Whether the page has kept the click on a link from being followed to another document.
function keepsLink({ el, click }) {
  const link = click?.defaultPrevented && closestMatch(el, 'a[href]');
  if (!link || tagOf(link) !== 'A' || !/^(?:https?|file):$/.test(link.protocol)) return false;
  return link.href.split('#')[0] !== urlOf(documentOf(el)).split('#')[0];
}

Object.assign(globalThis.openchrome, {
  clickParts: (box, parts, options) => runReader(() => clickParts(box, parts), options),
});
