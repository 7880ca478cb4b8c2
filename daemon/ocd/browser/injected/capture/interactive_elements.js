// What can be acted on, each with its box in the engine's window and with what can be done to it.

const FILLABLE_TYPES =
  /^(text|search|email|tel|url|password|number|date|time|datetime-local|month|week|color|range)$/;
const CONTROLS_SELECTOR =
  'a[href], area[href], button, input, select, textarea, summary, [role], [tabindex], [onclick],' +
  ' [contenteditable]:not([contenteditable=false]), video[controls], audio[controls]';

// A box of an element's document, in the engine's window, and whether any of it shows there.
function toWindowBox(view, box) {
  let { x, y, width: w, height: h } = box;
  let shows = w > 0 && h > 0;
  for (;;) {
    shows = shows && x + w > 0 && y + h > 0 && x < view.innerWidth && y < view.innerHeight;
    if (view === window || !view.frameElement) return { x, y, w, h, shows };
    [x, y, w, h] = toParentBox(view.frameElement, x, y, w, h);
    view = windowOf(documentOf(view.frameElement));
  }
}

function placedBox(el) {
  const [surface, box] = surfaceOf(el);
  return toWindowBox(
    windowOf(documentOf(surface)) || window,
    box || surface.getBoundingClientRect(),
  );
}

// The content box of a frame's element in the engine's window, and how large its pixels are there.
function contentBox(frame) {
  const [x, y, width, height] = toParentBox(frame, 0, 0, frame.clientWidth, frame.clientHeight);
  const box = toWindowBox(windowOf(documentOf(frame)), { x, y, width, height });
  return [box.x, box.y, box.w, box.h, box.w / frame.clientWidth || 1];
}

// What the frames of the engine's window, and that window, show of a box of an element's document:
// in coordinates of the page if the window is the page's, else of the window.
function visibleBox(view, box) {
  let { left, top, right, bottom } = box;
  while (view.parent !== view) {
    [left, top] = [Math.max(left, 0), Math.max(top, 0)];
    [right, bottom] = [Math.min(right, view.innerWidth), Math.min(bottom, view.innerHeight)];
    if (view === window || !view.frameElement) return [left, top, right - left, bottom - top];
    const [x, y, width, height] = toParentBox(
      view.frameElement,
      left,
      top,
      right - left,
      bottom - top,
    );
    [left, top, right, bottom] = [x, y, x + width, y + height];
    view = windowOf(documentOf(view.frameElement));
  }
  // A frame's part outside of the window may not be drawn.
  if (top < 0 || bottom > view.innerHeight) {
    const before = view.scrollY;
    view.scrollBy({ top: (top + bottom - view.innerHeight) / 2, behavior: 'instant' });
    [top, bottom] = [top + before - view.scrollY, bottom + before - view.scrollY];
  }
  return [left + view.scrollX, top + view.scrollY, right - left, bottom - top];
}

function boxOnPage(el) {
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  return visibleBox(windowOf(documentOf(el)), el.getBoundingClientRect());
}

// Likewise of a box of the document in a frame of another origin.
function boxInParent(frame, left, top, width, height) {
  frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const [x, y, w, h] = toParentBox(frame, left, top, width, height);
  const box = { left: x, top: y, right: x + w, bottom: y + h };
  return visibleBox(windowOf(documentOf(frame)), box);
}

function actionsOf(el, role) {
  const control = controlOf(el);
  if (disabledReason(control, false)) return ['hover'];
  const can = ['click', 'hover'];
  const writable = !disabledReason(control, true);
  if (
    control.tagName === 'INPUT'
      ? FILLABLE_TYPES.test(control.type)
      : control.tagName === 'TEXTAREA' || control.isContentEditable
  ) {
    if (writable) can.push('fill');
  }
  if (
    control.tagName === 'SELECT' ||
    role === 'listbox' ||
    (role === 'combobox' && control.tagName !== 'INPUT')
  )
    can.push('select');
  if (isFocusable(control)) can.push('focus');
  return can;
}

function valueShown(el, role) {
  const control = controlOf(el);
  if (control.type === 'password') return control.value ? '(filled)' : '';
  return FIELDS.has(role) || role === 'listbox' ? clip(valueOf(control, role), 200) : '';
}

function drawnLabel(one) {
  if (one.name) return clip(one.name);
  return clip(squeeze(visibleTextOf(one.el, 400)), 80) || hintOf(one.el, one.role).trim();
}

// Whether an element only has the hand as a cursor around one other: a click on that is one on it.
function isOnlyAround(one, inner, next) {
  if (one.role !== 'clickable' || inner === undefined || !nodeContains(one.el, inner.el))
    return false;
  if ((next !== undefined && nodeContains(one.el, next.el)) || !hasOnlyPointerCursor(one.el))
    return false;
  const words = squeeze(visibleTextOf(one.el, 400));
  return [drawnLabel(inner), valueShown(inner.el, inner.role), ''].includes(words);
}

// Controls that exist but do not show.
function hiddenControls(shown) {
  const known = new Set(shown.map((one) => one.el));
  return matchesEverywhere({ selector: CONTROLS_SELECTOR, pierce: true })
    .filter(
      (el) => !known.has(el) && !(el.tagName === 'INPUT' && el.type === 'hidden') && !clobbered(el),
    )
    .map((el) => ({ el, role: roleOf(el), name: nameOf(el, roleOf(el)), acts: true, hidden: true }))
    .filter(
      (one) =>
        WIDGETS.has(one.role) || one.el.hasAttribute('tabindex') || one.el.hasAttribute('onclick'),
    );
}

function soughtElements(options) {
  if (!options.query)
    return walkElements((el, role, name, acts) => (acts || (options.everything && name) ? 1 : 0));
  const asked = new SearchQuery(options.query);
  return walkElements((el, role, name, acts) => {
    if (!acts && !options.everything) return 0;
    const score = asked.score(el, role, name, acts);
    return score >= options.least ? score : 0;
  }, asked.hint);
}

function isCoveredAtCenter(el) {
  const [surface, box] = surfaceOf(el);
  return !box || freePointOf(surface, box)?.by != null;
}

// Options: scope, band (of the window, in CSS pixels), actions, hidden, everything, query, least, uncovered, offset,
// limit, own (frames inside are left out).
function observeElements(options) {
  let found = soughtElements(options);
  if (!options.query)
    found = found.filter((one, at) => !isOnlyAround(one, found[at + 1], found[at + 2]));
  if (options.hidden && !options.query && !isReadByParent())
    found = [...found, ...hiddenControls(found)];
  if (options.own) found = found.filter((one) => documentOf(one.el) === document);
  const wanted = options.actions?.length ? new Set(options.actions) : null;
  const kept = [];
  for (const one of found) {
    one.box = placedBox(one.el);
    if (options.scope === 'viewport' && !one.box.shows && !one.hidden) continue;
    if (
      options.band &&
      (one.box.y + one.box.h <= options.band[0] || one.box.y >= options.band[1] || !one.box.w)
    )
      continue;
    if (options.uncovered && one.box.shows && isCoveredAtCenter(one.el)) continue;
    one.can = actionsOf(one.el, one.role);
    if (!wanted || one.can.some((action) => wanted.has(action))) kept.push(one);
  }
  const window_ = kept.slice(options.offset, options.offset + options.limit);
  return {
    total: kept.length,
    considered: found.length,
    nodes: window_.map((one) => elementReport(one)),
    size: [innerWidth, innerHeight],
    scroll: [scrollX, scrollY],
    page: [
      rootScrollerOf(document)?.scrollWidth ?? innerWidth,
      rootScrollerOf(document)?.scrollHeight ?? innerHeight,
    ],
  };
}

function elementReport(one) {
  const control = controlOf(one.el);
  const value = valueShown(one.el, one.role);
  const states = statesOf(control, one.role, activeElementOf(documentOf(one.el))).trim();
  return {
    ref: `e${refOf(one.el)}`,
    role: one.role,
    name: drawnLabel(one),
    bbox: [one.box.x, one.box.y, one.box.w, one.box.h],
    in_viewport: one.box.shows,
    actions: one.can,
    ...(value ? { value } : {}),
    ...(states ? { states } : {}),
    ...(one.hidden ? { hidden: true } : {}),
    ...(isCovered(one.el) ? { covered: true } : {}),
  };
}

Object.assign(globalThis.openchrome, {
  contentBox,
  boxOnPage,
  boxInParent,
  observeElements: (options) => runReader(observeElements, options),
});
