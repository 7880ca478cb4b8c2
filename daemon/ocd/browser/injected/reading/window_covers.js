// What lies over the whole window, lets the page show through and takes its clicks: to a person it is
// an open dialog, whatever it calls itself.

const CORNERS = [[0.04, 0.04], [0.96, 0.04], [0.04, 0.96], [0.96, 0.96]]; // of the window's width and height
const INSIDES = [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5]];
const EDGE = 0.02; // of its width and height, that may stay free: a scroll bar, no bar with buttons
const OFFERING = '[role=menu], [role=listbox], [role=tree]';

const elementAtPart = ([x, y]) => topAt(document, x * innerWidth, y * innerHeight);
const isPlaced = (el) => /fixed|absolute/.test(getComputedStyle(el).position);

function fillsWindow(el) {
  const { left, top, right, bottom } = boxIn(el);
  const [x, y] = [EDGE * innerWidth, EDGE * innerHeight];
  return left <= x && top <= y && right >= innerWidth - x && bottom >= innerHeight - y;
}

function windowCoverAround(el) {
  for (let at = el; at && !PAGE.has(tagOf(at)); at = above(at)) if (isPlaced(at) && fillsWindow(at)) return at;
  return null;
}

function isSeeThrough(el) {
  const style = getComputedStyle(el);
  return style.opacity < MAX_SEEN_THROUGH || !isSolidlyDrawn(el, style);
}

// Whether words of the page stand under it: an application's outermost box has none below.
function hasPageBelow(cover) {
  for (let at = cover; at && !PAGE.has(tagOf(at)); at = above(at)) {
    const parent = above(at);
    for (const one of parent ? composedChildrenOf(parent) : []) {
      if (one !== at && typeOf(one) === Node.ELEMENT_NODE && isUnderCover(one, cover)) return true;
    }
  }
  return false;
}

function isUnderCover(el, cover) {
  const box = !NEVER.has(tagOf(el)) && !clobbered(el) && seenBox(el);
  if (!box) return false;
  const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
  const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const met = boxContains(box, x, y) ? stackIn(ownerIn(el), x, y) : [];
  const placeOf = (whole) => met.findIndex((one) => holdsIn(whole, one));
  const outer = outermostHost(cover);
  const isBelow = placeOf(el) > placeOf(outer) || (el.hasAttribute('inert') && placeOf(outer) >= 0);
  return isBelow && hasWords(el);
}

// What holds an element in the document's own tree.
function outermostHost(el) {
  const host = hostOf(rootIn(el));
  return host ? outermostHost(host) : el;
}

const hasWords = (el) => /\S/.test(seenText(el, 40));

// What stands on an empty cover beside it: the outermost placed box that is not the page's own.
function boxBeside(cover) {
  for (const top of INSIDES.map(elementAtPart)) {
    let box = null;
    for (let at = top; at && !PAGE.has(tagOf(at)) && !holdsIn(at, cover); at = above(at)) if (isPlaced(at)) box = at;
    if (box && hasWords(box)) return box;
  }
  return null;
}

// The box to name, or null: the cover, what stands on it, or the list that is all it has.
function coveringBox() {
  const met = CORNERS.map((corner) => windowCoverAround(elementAtPart(corner)));
  const cover = met.find((one, at) => one && met.indexOf(one, at + 1) > 0);
  if (!cover || !isSeeThrough(cover) || !hasPageBelow(cover)) return null;
  const box = /^I?FRAME$/.test(tagOf(cover)) || hasWords(cover) ? cover : boxBeside(cover);
  const list = box && [...allMatches(box, OFFERING)].find(seenBox);
  return list && squeeze(seenText(list, 400)) === squeeze(seenText(box, 400)) ? list : box;
}
