// What stands under or behind something else: it is read, and marked. Only what is in the window can
// be asked of the engine, and only pages on which something placed lies over something else are.

const COVERED = '[covered] ';
const MOST_COVERS = 30;
const LEAST_COVER = 100; // square pixels
const MOST_SEEN_THROUGH = 0.95; // opacity, from which on nothing shows through
let covers = null; // what may cover or be behind: once for each reading
let underneath = new Map();

function forgetCovers() {
  raised = [];
  covers = null;
  underneath = new Map();
}

const coversNow = () => covers ??= raised.slice(0, MOST_COVERS).filter(liesOver);

// Whether something else is under a placed element, or it is put behind others itself.
function liesOver(el) {
  const style = getComputedStyle(el);
  if (parseInt(style.zIndex, 10) < 0) return true;
  if (!isOpaque(el, style)) return false;
  const box = el.getBoundingClientRect();
  if (box.width * box.height < LEAST_COVER || box.bottom <= 0 || box.top >= innerHeight) return false;
  return [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]].some(([across, down]) => {
    const met = stackAt(el, box.left + box.width * across, box.top + box.height * down);
    return met.slice(met.indexOf(el) + 1).some((one) => !one.contains(el) && !el.contains(one));
  });
}

const stackAt = (el, x, y) => el.getRootNode().elementsFromPoint?.(x, y) ?? [];

function isOpaque(el, style) {
  if (PAGE.has(tagOf(el)) || style.visibility !== 'visible' || style.opacity < MOST_SEEN_THROUGH) return false;
  // What stays while the page is scrolled covers no text for good, unless it fills the window.
  if (/fixed|sticky/.test(style.position) && el.getBoundingClientRect().height < innerHeight / 2) return false;
  const color = colorOf(style.backgroundColor);
  return PICTURES.has(tagOf(el)) || (color !== null && color[3] >= MOST_SEEN_THROUGH);
}

// Whether all that shows of an element's words is under something else.
function isCovered(el) {
  if (!coversNow().length) return false;
  let found = underneath.get(el);
  if (found === undefined) {
    const points = pointsOf(el);
    found = points.length > 0 && points.every(([x, y]) => isCoveredAt(el, x, y));
    underneath.set(el, found);
  }
  return found;
}

function pointsOf(el) {
  sketch.selectNodeContents(el);
  const lines = [...sketch.getClientRects()].filter((line) => line.width > 1 && line.height > 1);
  return [lines[0], lines.at(-1)].filter(Boolean)
    .flatMap((line) => [0.05, 0.5, 0.95].map((part) => [line.left + line.width * part, line.top + line.height / 2]));
}

function isCoveredAt(el, x, y) {
  const met = stackAt(el, x, y);
  const at = met.indexOf(el);
  if (at < 0) return false;
  return met.slice(0, at).some((one) => !el.contains(one) && isOpaque(one, getComputedStyle(one)))
    || covers.some((one) => isIdleAt(one, el, x, y));
}

// Whether a cover that no pointer meets is over a place of an element before it.
function isIdleAt(cover, el, x, y) {
  if (cover.contains(el) || el.contains(cover) || getComputedStyle(cover).pointerEvents !== 'none') return false;
  const box = cover.getBoundingClientRect();
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom
    && Boolean(el.compareDocumentPosition(cover) & Node.DOCUMENT_POSITION_FOLLOWING);
}

// A text of an element as it is told.
const marked = (el, text) => (covers !== null && covers.length > 0 && !BLANK_TEXT.test(text) && isCovered(el) ? COVERED + text : text);
const BLANK_TEXT = /^\s*$/;
