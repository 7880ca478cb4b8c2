// What lies over the whole window, lets the page show through and takes its clicks: to a person it is
// an open dialog, whatever it calls itself.

const CORNER_POINTS = [
  [0.04, 0.04],
  [0.96, 0.04],
  [0.04, 0.96],
  [0.96, 0.96],
]; // of the window's width and height
const INNER_POINTS = [
  [0.5, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.1, 0.5],
  [0.9, 0.5],
];
const EDGE = 0.02; // of its width and height, that may stay free: a scroll bar, no bar with buttons
const OFFERING_ROLES = '[role=menu], [role=listbox], [role=tree]';

const elementAtPart = ([x, y]) => topElementAt(document, x * innerWidth, y * innerHeight);
const isPositioned = (el) => /fixed|absolute/.test(getComputedStyle(el).position);

function fillsWindow(el) {
  const { left, top, right, bottom } = boundingBoxOf(el);
  const [x, y] = [EDGE * innerWidth, EDGE * innerHeight];
  return left <= x && top <= y && right >= innerWidth - x && bottom >= innerHeight - y;
}

function windowCoverAround(el) {
  for (let at = el; at && !PAGE_TAGS.has(tagOf(at)); at = composedParentOf(at))
    if (isPositioned(at) && fillsWindow(at)) return at;
  return null;
}

function isSeeThrough(el) {
  const style = getComputedStyle(el);
  return style.opacity < MAX_SEEN_THROUGH || !isSolidlyDrawn(el, style);
}

// Whether words of the page stand under it: an application's outermost box has none below.
function hasPageBelow(cover) {
  for (let at = cover; at && !PAGE_TAGS.has(tagOf(at)); at = composedParentOf(at)) {
    const parent = composedParentOf(at);
    for (const one of parent ? composedChildrenOf(parent) : []) {
      if (one !== at && nodeTypeOf(one) === Node.ELEMENT_NODE && isUnderCover(one, cover))
        return true;
    }
  }
  return false;
}

const isUnderCover = (el, cover) => isBehindCover(el, cover) && hasVisibleWords(el);

function isBehindCover(el, cover) {
  const box = !UNRENDERED_TAGS.has(tagOf(el)) && !clobbered(el) && visibleBoxOf(el);
  if (!box) return false;
  const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
  const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const met = boxContains(box, x, y) ? elementsAtPoint(documentOf(el), x, y) : [];
  const placeOf = (whole) => met.findIndex((one) => nodeContains(whole, one));
  const outer = outermostHost(cover);
  return placeOf(el) > placeOf(outer) || (el.hasAttribute('inert') && placeOf(outer) >= 0);
}

// What holds an element in the document's own tree.
function outermostHost(el) {
  const host = hostOf(rootNodeOf(el));
  return host ? outermostHost(host) : el;
}

const hasVisibleWords = (el) => /\S/.test(visibleTextOf(el, 40));

// What stands on an empty cover beside it: the outermost placed box that is not the page's own.
function boxBeside(cover) {
  for (const top of INNER_POINTS.map(elementAtPart)) {
    let box = null;
    for (
      let at = top;
      at && !PAGE_TAGS.has(tagOf(at)) && !nodeContains(at, cover);
      at = composedParentOf(at)
    )
      if (isPositioned(at)) box = at;
    if (box && hasVisibleWords(box)) return box;
  }
  return null;
}

function windowCover() {
  const met = CORNER_POINTS.map((corner) => windowCoverAround(elementAtPart(corner)));
  const cover = met.find((one, at) => one && met.indexOf(one, at + 1) > 0);
  return cover && isSeeThrough(cover) && hasPageBelow(cover) ? cover : null;
}

// The box to name, or null: the cover, what stands on it, or the list that is all it has.
function coveringBox() {
  const cover = windowCover();
  if (cover === null) return null;
  const box = /^I?FRAME$/.test(tagOf(cover)) || hasVisibleWords(cover) ? cover : boxBeside(cover);
  const list = box && [...allMatches(box, OFFERING_ROLES)].find(visibleBoxOf);
  return list && squeeze(visibleTextOf(list, 400)) === squeeze(visibleTextOf(box, 400))
    ? list
    : box;
}
