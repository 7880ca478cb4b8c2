// What a person can see. Every element on the way down gets a view, or none where nothing of it is shown.

const UNRENDERED_TAGS = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'NOSCRIPT',
  'HEAD',
  'META',
  'LINK',
  'TITLE',
  'BASE',
  'SOURCE',
  'TRACK',
  'PARAM',
  'DATALIST',
  'COL',
  'COLGROUP',
  'RP',
  'AREA',
  // of drawings, which write their tags small
  'script',
  'style',
  'DESC',
  'METADATA',
  'DEFS',
  'SYMBOL',
  'CLIPPATH',
  'MASK',
  'PATTERN',
  'MARKER',
  'FILTER',
  'LINEARGRADIENT',
  'RADIALGRADIENT',
]);
const CONTROL_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
// What stands between their tags is for browsers that do not know them.
const FALLBACK_TAGS = new Set(['CANVAS', 'VIDEO', 'AUDIO', 'METER', 'PROGRESS']);
const OFFSCREEN_PX = 500; // px: nobody indents a text that far to show it

let raisedElements = []; // what was met that may stand over something else
let viewCache = null; // of single elements and what is around them, while the page is being read

// The view of an element inside `above`, or null where nothing of it is shown.
function viewInside(el, above, tag = capitalTagOf(el)) {
  const view = groupedView(el, above, tag);
  if (view !== null && view.leavesFlow) raisedElements.push(el);
  return view;
}

function groupedView(el, above, tag) {
  if (above === null || above.likeness === null) return computeView(el, above);
  const bare = UNHOSTING_TAGS.has(tag) && !el.hasAttributes();
  const common = bare && above.bare !== null ? above.bare.get(tag) : undefined;
  if (common !== undefined) return common;
  const key = above.likeness.key(el, tag);
  if (key === null) return computeView(el, above);
  const alike = (above.alike ??= new Map());
  const twin = alike.get(key);
  // Where an element stands, and how large it is, is its own.
  if (twin !== undefined && !twin.placed) return twin;
  if (twin !== undefined) {
    if (isPlacedApart(el, twin)) return shutView(el, above, getComputedStyle(el));
    // A text and nothing else begins where that of its like does.
    if (
      !twin.hides ||
      (!twin.clipped && firstElementChildOf(el) === null) ||
      isCutOff(el) === twin.clipped
    )
      return twin;
  }
  const view = computeView(el, above);
  if (view !== null && view.shut === null) {
    alike.set(key, view);
    if (bare && !view.placed && above.likeness.isByTag(el, tag))
      (above.bare ??= new Map()).set(tag, view);
  }
  return view;
}

// What has no shadow tree, and is styled by its tag alone where it has no attributes.
const UNHOSTING_TAGS = new Set('TD TH TR TBODY LI DT DD B I EM STRONG CODE'.split(' '));

function computeView(el, above) {
  if (above !== null && above.hollow) return null;
  if (above !== null && above.shut !== null) return viewInShutBox(el, above);
  const style = getComputedStyle(el);
  const { display } = style;
  if (display === 'none' || style.contentVisibility === 'hidden') return null;
  const effects = above !== null ? above.effects : effectsIn(documentOf(el));
  if (isInvisible(el, style, effects)) {
    if (!CONTROL_TAGS.has(el.tagName)) return shutView(el, above, style);
    if (isOutOfReach(el, style)) return null;
  }
  return viewFor(el, above, style);
}

// Whether neither the mouse nor the keyboard gets to a hidden field: libraries keep those for the form,
// and draw something of their own.
function isOutOfReach(el, style) {
  return (
    el.tabIndex < 0 &&
    !el.matches(FACED_INPUTS) &&
    (style.pointerEvents === 'none' ||
      style.opacity > MIN_OPACITY ||
      isBeyondScroll(el, style.position))
  );
}

function viewFor(el, above, style) {
  const view = new ElementView(el, above, style, style.display);
  // A shadow tree has rules of its own.
  if (above !== null && above.likeness !== null && shadowRootOf(el) === null)
    view.likeness = above.likeness;
  return view;
}

// The view of a form whose inputs hide its properties.
function formView(el, above) {
  if (above !== null && above.shut !== null) return viewInShutBox(el, above);
  const style = getComputedStyle(el);
  const shows =
    style.display !== 'none' && style.contentVisibility !== 'hidden' && style.opacity > MIN_OPACITY;
  return shows ? new ElementView(el, above, style, 'block') : null;
}

function isInvisible(el, style, effects = ALL_EFFECTS) {
  if (effects & FADING) {
    const { opacity } = style;
    if (opacity !== '1' && opacity <= MIN_OPACITY) return true;
    if (
      style.clipPath !== 'none' &&
      /inset\((50|100)%|circle\(0|polygon\(0px 0px(, 0px 0px)*\)/.test(style.clipPath)
    )
      return true;
    if (isFilteredOut(style)) return true;
  }
  const moves = (effects & MOVING) !== 0;
  if (
    moves &&
    (style.transform !== 'none' || style.scale !== 'none') &&
    shareLeftByTransform(style) < MIN_PART &&
    !isPartOf3d(el, style)
  )
    return true;
  return isMisplaced(el, style, moves);
}

// Whether its place or its size hides it: those are an element's own, however much it looks like others.
function isMisplaced(el, style, moves) {
  const { position, overflow } = style;
  if (position === 'absolute' || position === 'fixed') {
    if (/^rect\(([01](px)?,? ?){4}\)$/.test(style.clip)) return true;
    if (isBeyondScroll(el, position)) return true;
  } else if (
    position === 'relative' &&
    (parseFloat(style.left) < -OFFSCREEN_PX || parseFloat(style.top) < -OFFSCREEN_PX) &&
    isBeyondScroll(el, position)
  )
    return true;
  if (moves && mayMoveOutOfSight(style) && isBeyondScroll(el, position)) return true;
  return overflow !== 'visible' && isTiny(el, style);
}

const isTiny = (el, style) =>
  !THIN_TAGS.has(el.tagName) &&
  !(el.offsetWidth > SURELY_SIZED_PX && el.offsetHeight > SURELY_SIZED_PX) &&
  (isPixel(style.width) || isPixel(style.height));

// Whether an element stands, or is so small, where its like does not, that it is not seen.
function isPlacedApart(el, twin) {
  const { position } = twin.style;
  if ((position === 'absolute' || position === 'fixed') && isBeyondScroll(el, position))
    return true;
  if (twin.moves && mayMoveOutOfSight(getComputedStyle(el)) && isBeyondScroll(el, position))
    return true;
  return twin.cuts && isTiny(el, getComputedStyle(el));
}

// What is placed where it would stand anyway is no matter: most boxes with a position are.
const leavesFlow = (style) =>
  style.position !== 'relative' ||
  style.zIndex < 0 ||
  style.transform !== 'none' ||
  [style.top, style.left, style.marginTop, style.marginLeft, style.marginBottom].some(
    (one) => one !== '0px' && one !== 'auto',
  );

// Whether a transform moves an element so far to the left or up that it may be out of sight.
function mayMoveOutOfSight({ transform, translate }) {
  if (translate !== 'none' && translate.includes('-')) return true;
  if (!transform.includes('-')) return false;
  const numbers = transform
    .slice(transform.indexOf('(') + 1)
    .split(',')
    .map(parseFloat);
  const [x, y] = numbers.length > 6 ? [numbers[12], numbers[13]] : [numbers[4], numbers[5]];
  return x < -NEAR_PX || y < -NEAR_PX;
}

const NEAR_PX = 20; // px, by which nothing that can be read is moved out of sight

// Whether an element is a side of something that others turn, or such a thing itself.
const isPartOf3d = (el, style) =>
  style.transformStyle === 'preserve-3d' ||
  (parentElementOf(el) !== null &&
    getComputedStyle(parentElementOf(el)).transformStyle === 'preserve-3d');

const PAGE_TAGS = new Set(['BODY', 'HTML']);
const THIN_TAGS = new Set([...PAGE_TAGS, 'HR']); // boxes that cut off what they do not hold, and are seen all the same
const MIN_PART = 0.01; // of a box, by transforms
const SURELY_SIZED_PX = 30; // px, from which on a box need not be asked for its width without its padding
const isPixel = (length) => length.endsWith('px') && parseFloat(length) <= 1;

// Whether an element shows only its summary or its legend at the moment.
function isCollapsed(el, kid) {
  if (tagOf(el) !== 'DETAILS' || el.open) return false;
  return !(nodeTypeOf(kid) === Node.ELEMENT_NODE && kid.tagName === 'SUMMARY' && isSummary(kid));
}

// The document inside a frame, null if it belongs to another origin.
function innerDocument(frame) {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

// Whether a page hides all of itself, as many do until they are ready.
function isPageHidden(doc) {
  const body = bodyOf(doc);
  return body
    ? [rootElementOf(doc), body].some((el) => {
        const { display, visibility, opacity } = getComputedStyle(el);
        return display === 'none' || visibility !== 'visible' || opacity <= MIN_OPACITY;
      })
    : false;
}

// The view of a page's root or body as it will be once it shows.
function viewOnceShown(el, above) {
  const view = new ElementView(el, above, getComputedStyle(el), 'block');
  view.rest = UNREDUCED;
  return view;
}

function rootView(document) {
  const top = rootElementOf(document);
  const view = top && viewInside(top, null);
  if (view) {
    const modal = firstMatch(document, 'dialog:modal');
    view.inert = modal !== null;
    view.likeness = StyleGroups.of(document);
  }
  return view;
}
