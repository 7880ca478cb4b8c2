// What a person sees of an element: its box, its words, and what lies on top of the page.

const SHOWS = { visibilityProperty: true, opacityProperty: true };
const isShown = (el) => showsIn(el, SHOWS);

// An area of an image map, on the picture that it is laid over.
function areaBox(area) {
  const picture = pictureOf(area);
  const box = picture && seenBox(picture);
  if (!box) return null;
  const [a, b, c, d = 0] = area.coords.split(',').map(Number);
  if (area.shape === 'default' || !area.coords) return box;
  const [left, top] = [box.x + picture.clientLeft, box.y + picture.clientTop];
  if (area.shape === 'circle') return new DOMRect(left + a - c, top + b - c, 2 * c, 2 * c);
  if (area.shape !== 'poly') return new DOMRect(left + Math.min(a, c), top + Math.min(b, d), Math.abs(c - a), Math.abs(d - b));
  const points = area.coords.split(',').map(Number);
  const [xs, ys] = [points.filter((_, at) => at % 2 === 0), points.filter((_, at) => at % 2 === 1)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(left + x, top + y, Math.max(...xs) - x, Math.max(...ys) - y);
}

function seenBox(el) {
  if (el.tagName === 'AREA') return areaBox(el);
  if (!el.checkVisibility({ visibilityProperty: true })) return null;
  return firstBox(el);
}
const firstBox = (one) => [...one.getClientRects()].find((box) => box.width > 0 && box.height > 0) || null;

// The view of an element from the page's root down, null where nothing of it is shown.
function viewOf(el) {
  let view = views?.get(el);
  if (view === undefined) {
    const parent = slotIn(el) || parentIn(el) || hostOf(rootIn(el));
    const above = parent ? viewOf(parent) : null;
    if (parent) view = above && viewInside(el, above);
    else view = el === rootElementOf(ownerIn(el)) ? rootView(ownerIn(el)) : viewInside(el, null);
    views?.set(el, view);
  }
  return view;
}

// What a person reads of an element, at most so many characters: innerText knows of no other
// way to hide text than `display` and `visibility`.
function seenText(el, most) {
  const view = NEVER.has(tagOf(el)) ? null : viewOf(el);
  return view ? readText(el, view, most, '') : '';
}

function readText(el, view, most, text) {
  for (const kid of composedChildrenOf(el)) {
    if (text.length > most) break;
    if (typeOf(kid) === Node.TEXT_NODE) text += view.readable ? kid.data : '';
    else if (typeOf(kid) === Node.ELEMENT_NODE && !NEVER.has(kid.tagName) && !clobbered(kid) && !isCollapsed(el, kid)) {
      const inner = viewInside(kid, view);
      if (inner) text = inner.inline ? readText(kid, inner, most, text) : `${readText(kid, inner, most, `${text} `)} `;
    }
  }
  return text;
}
const hasBox = (el) => showsIn(el, { visibilityProperty: true, opacityProperty: true }) && boxesIn(el).length > 0;

// What lies on top at a point of a document, inside shadow trees too.
function topAt(document, x, y) {
  let hit = hitIn(document, x, y);
  for (;;) {
    const root = hit && rootOf(hit);
    const inner = root?.elementFromPoint(x, y);
    if (!inner || inner === hit || rootIn(inner) !== root) return hit;
    hit = inner;
  }
}

function closestAround(el, selector) {
  for (let at = el; at; at = above(at)) if (!clobbered(at) && at.matches(selector)) return at;
  return null;
}

function focused() {
  let at = activeIn(document);
  for (;;) {
    const root = at && (rootOf(at) || (/^I?FRAME$/.test(at.tagName) && innerDocument(at)));
    const inner = root && activeIn(root);
    if (!inner || inner.tagName === 'BODY') return at && at.tagName !== 'BODY' ? at : rootElementOf(document);
    at = inner;
  }
}

// Where the words of an element show that has no box of its own.
function wordsBox(el) {
  const style = getComputedStyle(el);
  if (style.display !== 'contents' || style.visibility !== 'visible') return null;
  const range = rangeIn(ownerIn(el));
  range.selectNodeContents(el);
  return firstBox(range);
}
const placeIn = (el) => seenBox(el) || wordsBox(el);
