// What a person sees of an element: its box, its words, and what lies on top of the page.

const VISIBILITY_CHECKS = { visibilityProperty: true, opacityProperty: true };
const isShown = (el) => checkVisibilityOf(el, VISIBILITY_CHECKS);

// An area of an image map, on the picture that it is laid over.
function areaBox(area) {
  const picture = pictureOf(area);
  const box = picture && visibleBoxOf(picture);
  if (!box) return null;
  const [a, b, c, d = 0] = area.coords.split(',').map(Number);
  if (area.shape === 'default' || !area.coords) return box;
  const [left, top] = [box.x + picture.clientLeft, box.y + picture.clientTop];
  if (area.shape === 'circle') return new DOMRect(left + a - c, top + b - c, 2 * c, 2 * c);
  if (area.shape !== 'poly')
    return new DOMRect(
      left + Math.min(a, c),
      top + Math.min(b, d),
      Math.abs(c - a),
      Math.abs(d - b),
    );
  const points = area.coords.split(',').map(Number);
  const [xs, ys] = [points.filter((_, at) => at % 2 === 0), points.filter((_, at) => at % 2 === 1)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(left + x, top + y, Math.max(...xs) - x, Math.max(...ys) - y);
}

function visibleBoxOf(el) {
  if (el.tagName === 'AREA') return areaBox(el);
  if (!el.checkVisibility({ visibilityProperty: true })) return null;
  return firstNonEmptyRect(el);
}
const firstNonEmptyRect = (one) =>
  [...one.getClientRects()].find((box) => box.width > 0 && box.height > 0) || null;

// The view of an element from the page's root down, null where nothing of it is shown.
function viewOf(el) {
  let view = viewCache?.get(el);
  if (view === undefined) {
    const parent = assignedSlotOf(el) || parentElementOf(el) || hostOf(rootNodeOf(el));
    const above = parent ? viewOf(parent) : null;
    if (parent) view = above && viewInside(el, above);
    else
      view = el === rootElementOf(documentOf(el)) ? rootView(documentOf(el)) : viewInside(el, null);
    viewCache?.set(el, view);
  }
  return view;
}

// What a person reads of an element, at most so many characters: innerText knows of no other
// way to hide text than `display` and `visibility`.
function visibleTextOf(el, most) {
  const view = UNRENDERED_TAGS.has(tagOf(el)) ? null : viewOf(el);
  return view ? readText(el, view, most, '') : '';
}

function readText(el, view, most, text) {
  for (const kid of composedChildrenOf(el)) {
    if (text.length > most) break;
    if (nodeTypeOf(kid) === Node.TEXT_NODE) text += view.readable ? withoutIndent(kid.data) : '';
    else if (
      nodeTypeOf(kid) === Node.ELEMENT_NODE &&
      !UNRENDERED_TAGS.has(kid.tagName) &&
      !clobbered(kid) &&
      !isCollapsed(el, kid)
    ) {
      const inner = viewInside(kid, view);
      if (inner)
        text = inner.inline
          ? readText(kid, inner, most, text)
          : `${readText(kid, inner, most, `${text} `)} `;
    }
  }
  return text;
}

// The blanks between two elements of the source do not count among the characters that are asked for.
const withoutIndent = (data) => (data.length < 2 || /\S/.test(data) ? data : ' ');

const hasBox = (el) =>
  checkVisibilityOf(el, { visibilityProperty: true, opacityProperty: true }) &&
  clientRectsOf(el).length > 0;

// What lies on top at a point of a document, inside shadow trees too.
function topElementAt(document, x, y) {
  let hit = elementAtPoint(document, x, y);
  for (;;) {
    const root = hit && shadowRootOf(hit);
    const met = root?.elementFromPoint(x, y);
    const inner = root && met === hit ? boxOfSlottedText(root, x, y) : met;
    if (!inner || inner === hit || rootNodeOf(inner) !== root) return hit;
    hit = inner;
  }
}

// What shows the text of a host at a point of the window, such as the button around its slot: text that is hit is
// told as its host. Null where there is none.
function boxOfSlottedText(root, x, y) {
  const range = rangeIn(documentOf(hostOf(root)));
  const isHit = (node) => {
    if (nodeTypeOf(node) !== Node.TEXT_NODE) return false;
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((line) => boxContains(line, x, y));
  };
  const slot = [...allMatches(root, 'slot')].find((one) =>
    one.assignedNodes({ flatten: true }).some(isHit),
  );
  return slot ? parentElementOf(slot) : null;
}

function closestAround(el, selector) {
  for (let at = el; at; at = composedParentOf(at))
    if (!clobbered(at) && at.matches(selector)) return at;
  return null;
}

function focusedElement() {
  let at = activeElementOf(document);
  for (;;) {
    const root = at && (shadowRootOf(at) || (/^I?FRAME$/.test(at.tagName) && innerDocument(at)));
    const inner = root && activeElementOf(root);
    if (!inner || inner.tagName === 'BODY')
      return at && at.tagName !== 'BODY' ? at : rootElementOf(document);
    at = inner;
  }
}

// Where the words of an element show that has no box of its own.
function textBoxOf(el) {
  const style = getComputedStyle(el);
  if (style.display !== 'contents' || style.visibility !== 'visible') return null;
  const range = rangeIn(documentOf(el));
  range.selectNodeContents(el);
  return firstNonEmptyRect(range);
}
const visiblePlaceOf = (el) => visibleBoxOf(el) || textBoxOf(el);
