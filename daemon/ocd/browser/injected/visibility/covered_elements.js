// What stands under or behind something else: it is read, and marked. Only what is in the window can
// be asked of the engine, and only pages on which something placed lies over something else are.

const COVERED_MARK = '[covered] ';
const MAX_COVERS = 200;
const MIN_COVER = 100; // square pixels
const MAX_SEEN_THROUGH = 0.95; // opacity, from which on nothing shows through
let covers = null; // what may cover or be behind, in the window: once for each reading
let unmarkedTexts = []; // whose texts were told before it was known what covers
let coveredElements = new Map();
let farAwayByElement = new Map(); // whether boxes are far from the window
let stacksByTree = new Map(); // what was met at places, by tree: what lies over each other asks at the same ones
let stackedCount = 0; // elements in these
const MAX_STACKED = 100000;
const FAR_PX = 600; // px by which nothing flows out of its box

function resetCovers() {
  raisedElements = [];
  covers = null;
  unmarkedTexts = [];
  coveredElements = new Map();
  farAwayByElement = new Map();
  stacksByTree = new Map();
  stackedCount = 0;
}

function findCovers() {
  if (covers === null) {
    covers = [];
    for (const el of raisedElements) {
      const cover = coverOf(el);
      if (cover !== null && covers.push(cover) === MAX_COVERS) break;
    }
  }
  return covers;
}

// Where a placed element may cover something, or is put behind others itself; null for nowhere.
function coverOf(el) {
  const box = el.getBoundingClientRect();
  if (
    box.width * box.height < MIN_COVER ||
    box.bottom <= 0 ||
    box.right <= 0 ||
    box.top >= innerHeight ||
    box.left >= innerWidth
  )
    return null;
  const style = getComputedStyle(el);
  const behind = parseInt(style.zIndex, 10) < 0;
  return behind || isOpaque(el, style)
    ? { el, box, behind, idle: style.pointerEvents === 'none' }
    : null;
}

const boxContains = (box, x, y) =>
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

// Whether something may be over a point of an element: to ask the engine costs much more.
const mayBeCoveredAt = (el, x, y) =>
  covers.some(
    (cover) =>
      boxContains(cover.box, x, y) &&
      (cover.behind || (!nodeContains(cover.el, el) && documentOf(cover.el) === documentOf(el))),
  );

// Whether any text that was told without a mark has to have one.
const needsMarks = () =>
  raisedElements.length > 0 && findCovers().length > 0 && unmarkedTexts.some(isCovered);

function hitStackAt(el, x, y) {
  const root = rootNodeOf(el);
  if (!stacksByTree.has(root)) stacksByTree.set(root, new Map());
  const known = stacksByTree.get(root);
  const place = `${x} ${y}`;
  const met = known.get(place) ?? elementsAtPoint(root, x, y) ?? [];
  if (!known.has(place) && (stackedCount += met.length) <= MAX_STACKED) known.set(place, met);
  return met;
}

function isOpaque(el, style) {
  if (
    PAGE_TAGS.has(tagOf(el)) ||
    style.visibility !== 'visible' ||
    style.opacity < MAX_SEEN_THROUGH
  )
    return false;
  // What stays while the page is scrolled covers no text for good, unless it fills the window.
  if (/fixed|sticky/.test(style.position) && el.getBoundingClientRect().height < innerHeight / 2)
    return false;
  return isSolidlyDrawn(el, style);
}

function isSolidlyDrawn(el, style) {
  if (PICTURE_TAGS.has(tagOf(el))) return true;
  const color = parseColor(style.backgroundColor);
  return color !== null && color[3] >= MAX_SEEN_THROUGH;
}

// Whether something may be covered by a placed element that looks like this, or by what it is behind of.
const isPainted = (el, style) => style.zIndex < 0 || isSolidlyDrawn(el, style);

// Whether all that shows of an element's words is under something else.
function isCovered(el) {
  if (!findCovers().length) return false;
  let found = coveredElements.get(el);
  if (found === undefined) {
    const points = isFarFromWindow(el) ? [] : samplePointsOf(el);
    found =
      points.length > 0 &&
      points.every(([x, y]) => mayBeCoveredAt(el, x, y)) &&
      points.every(([x, y]) => isCoveredAt(el, x, y));
    coveredElements.set(el, found);
  }
  return found;
}

// Whether an element is outside of the window: what stands in a box that is far from it is so, too.
function isFarFromWindow(el) {
  const parent = parentElementOf(el);
  let far = farAwayByElement.get(parent);
  if (far === undefined) {
    const { top, bottom } = parent === null ? { top: 0, bottom: 0 } : boundingBoxOf(parent);
    far = bottom < -FAR_PX || top > innerHeight + FAR_PX;
    farAwayByElement.set(parent, far);
  }
  if (far) return true;
  const { top, bottom } = el.getBoundingClientRect();
  return bottom <= 0 || top >= innerHeight;
}

function samplePointsOf(el) {
  scratchRange.selectNodeContents(el);
  const lines = [...scratchRange.getClientRects()].filter(
    (line) => line.width > 1 && line.height > 1,
  );
  return [lines[0], lines.at(-1)]
    .filter(Boolean)
    .flatMap((line) =>
      [0.05, 0.5, 0.95].map((part) => [line.left + line.width * part, line.top + line.height / 2]),
    );
}

function isCoveredAt(el, x, y) {
  const met = hitStackAt(el, x, y);
  if (!met.includes(el)) return false;
  const first = met.find(
    (one) => one === el || (!nodeContains(el, one) && isOpaque(one, getComputedStyle(one))),
  );
  return first !== el || covers.some((cover) => cover.idle && isUnderIdleCover(cover, el, x, y));
}

// Whether a cover that no pointer meets is over a place of an element before it.
function isUnderIdleCover(cover, el, x, y) {
  return (
    !nodeContains(cover.el, el) &&
    !nodeContains(el, cover.el) &&
    boxContains(cover.box, x, y) &&
    Boolean(el.compareDocumentPosition(cover.el) & Node.DOCUMENT_POSITION_FOLLOWING) &&
    !isRaisedAbove(el, cover.el)
  );
}

// Whether an element stands on a higher layer than another, as the outermost layers say in which one of them is.
function isRaisedAbove(el, other) {
  let around = parentElementOf(el);
  while (around !== null && !nodeContains(around, other)) around = parentElementOf(around);
  return layerIn(around, el) > layerIn(around, other);
}

function layerIn(around, el) {
  let layer = 0;
  for (let at = el; at !== null && at !== around; at = parentElementOf(at)) {
    const { zIndex } = getComputedStyle(at);
    if (zIndex !== 'auto') layer = Number(zIndex);
  }
  return layer;
}

// A text of an element as it is told.
function markCoveredText(el, text) {
  if (covers === null) unmarkedTexts.push(el);
  else if (covers.length > 0 && !BLANK_TEXT.test(text) && isCovered(el)) return COVERED_MARK + text;
  return text;
}
const BLANK_TEXT = /^\s*$/;
