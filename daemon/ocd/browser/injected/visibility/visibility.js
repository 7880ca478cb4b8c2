// What a person can see. Every element on the way down gets a View: its style and what it inherits.

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
const FALLBACK_TAGS = new Set(['CANVAS', 'VIDEO', 'AUDIO']);
const OFFSCREEN_PX = 500; // px: nobody indents a text that far to show it

const UNREDUCED = [1, 1];

class ElementView {
  constructor(el, above, style, display) {
    this.el = el; // or one that looks alike
    this.above = above;
    this.style = style;
    this.inert = el.inert === true || (above !== null && above.inert && !isModal(el));
    this.inline =
      display === 'inline' ||
      display === 'contents' ||
      display.startsWith('ruby') ||
      display.endsWith('math');
    this.hollow = FALLBACK_TAGS.has(el.tagName);
    this.effects =
      above !== null
        ? above.effects | (shadowRootOf(el) !== null ? ALL_EFFECTS : 0)
        : effectsIn(documentOf(el));
    this.known = undefined;
    this.legible = undefined;
    this.cut = undefined;
    this.cutting = undefined;
    this.hiding = undefined;
    this.rest = undefined;
    this.shut = null; // of a box that shows nothing of itself: what in it is seen all the same
    this.stands = undefined;
    this.likeness = null; // who knows which elements inside look alike
    this.alike = null; // the views of what is inside, by their keys
    this.drawn = undefined;
    this.points = undefined;
    this.fixed = undefined;
    this.drift = undefined;
    this.keeps = undefined;
    this.edits = undefined;
  }

  get visible() {
    return (this.drawn ??= this.shut === null && this.style.visibility === 'visible');
  }

  get preserves() {
    return (this.keeps ??= this.style.whiteSpaceCollapse === 'preserve');
  }

  // Whether it is where editing begins.
  get host() {
    return (this.edits ??= isEditingHost(this.el));
  }

  get pointer() {
    return (this.points ??= this.style.cursor === 'pointer');
  }

  // Whether its place or its size may hide it.
  get placed() {
    return (this.fixed ??= /absolute|fixed/.test(this.style.position) || this.cuts || this.moves);
  }

  // Whether its like may be moved out of sight: by how much is each one's own.
  get moves() {
    return (this.drift ??=
      (this.effects & MOVING) !== 0 &&
      (this.style.transform.includes('-') || this.style.translate.includes('-')));
  }

  // Whether it may stand over something that it is not in, or under it.
  get leavesFlow() {
    return (this.stands ??=
      this.style.position !== 'static' && isPainted(this.el, this.style) && leavesFlow(this.style));
  }

  get cuts() {
    return (this.cutting ??= this.style.overflow !== 'visible');
  }

  // Whether it is a box that cuts off what flows out of it, without a way to scroll to that.
  get hides() {
    return (this.hiding ??=
      this.cuts &&
      !/auto|scroll/.test(this.style.overflow) &&
      !PAGE_TAGS.has(this.el.tagName) &&
      this.style.width !== 'auto');
  }

  // Whether a box around cuts off all the text in it.
  get clipped() {
    return (this.cut ??=
      (this.above !== null && this.above.clipped) || (this.hides && isCutOff(this.el)));
  }

  // The opacity of what is inside, and the size of its letters, as parts of what they say.
  get left() {
    if (!this.effects) return UNREDUCED;
    if (this.rest === undefined) {
      const [opacity, size] = this.above ? this.above.left : UNREDUCED;
      const { style } = this;
      const moved =
        (this.effects & MOVING) !== 0 &&
        (style.transform !== 'none' || style.scale !== 'none' || style.rotate !== 'none');
      const own = moved && !isSolid(this.el, style) ? shareLeftByTransform(style) : 1;
      this.rest =
        own === 1 && style.opacity === '1'
          ? (this.above?.left ?? UNREDUCED)
          : [opacity * style.opacity, size * own];
    }
    return this.rest;
  }

  // The colour behind the text, null where it cannot be known from ancestors alone.
  get back() {
    if (this.known === undefined) {
      const style = this.style;
      if (style.backgroundImage !== 'none' || style.filter !== 'none') this.known = null;
      else if (!isTransparent(style.backgroundColor) && style.backgroundClip !== 'text')
        this.known = blendColors(style.backgroundColor, this.behind);
      else if (style.position !== 'static') this.known = null;
      else this.known = this.behind;
    }
    return this.known;
  }

  get behind() {
    if (this.above) return this.above.back;
    return this.style.colorScheme.includes('dark') ? null : 'rgb(255, 255, 255)';
  }

  contrasts(opacity) {
    const { style } = this;
    // Text of a drawing has a fill instead, and shapes behind it.
    if (typeof this.el.ownerSVGElement === 'object') {
      return (
        (style.fill !== 'none' &&
          style.fillOpacity * opacity > MIN_OPACITY &&
          !isTransparent(style.fill)) ||
        style.stroke !== 'none'
      );
    }
    return (
      isDistinct(style.webkitTextFillColor, this.back, opacity) ||
      style.textShadow !== 'none' ||
      style.webkitTextStrokeWidth !== '0px' ||
      (style.backgroundClip === 'text' &&
        (isDistinct(style.backgroundColor, this.behind, opacity) ||
          (style.backgroundImage !== 'none' &&
            gradientPaints(style.backgroundImage, this.behind, opacity)))) ||
      hasBackdrop(this.el, style.webkitTextFillColor, opacity)
    );
  }

  // Whether text directly inside is readable.
  get readable() {
    if (this.legible === undefined) {
      const style = this.style;
      const [opacity, size] = this.left;
      this.legible =
        !this.hollow &&
        this.shut === null &&
        style.visibility === 'visible' &&
        parseFloat(style.fontSize) * size * (this.el.currentCSSZoom ?? 1) >= MIN_SIZE &&
        parseFloat(style.textIndent) > -OFFSCREEN_PX &&
        this.contrasts(opacity) &&
        !this.clipped;
    }
    return this.legible;
  }
}

const isTransparent = (color) =>
  color === 'rgba(0, 0, 0, 0)' ||
  (color[3] === 'a' && color.endsWith(', 0)')) ||
  color.endsWith('/ 0)');

function isModal(el) {
  return (
    (el.tagName === 'DIALOG' && el.open && el.matches(':modal')) ||
    el.getAttribute('aria-modal') === 'true'
  );
}

let raisedElements = []; // what was met that may stand over something else
let viewCache = null; // of single elements and what is around them, while the page is being read

// The view of an element inside `above`, or null where nothing of it is shown.
function viewInside(el, above) {
  const view = groupedView(el, above);
  if (view !== null && view.leavesFlow) raisedElements.push(el);
  return view;
}

function groupedView(el, above) {
  const key = above !== null && above.likeness !== null ? above.likeness.key(el) : null;
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
  if (view !== null && view.shut === null) alike.set(key, view);
  return view;
}

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
    (style.pointerEvents === 'none' || style.opacity > MIN_OPACITY)
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
    !isSolid(el, style)
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
  if (moves && movesOut(style) && isBeyondScroll(el, position)) return true;
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
  if (twin.moves && movesOut(getComputedStyle(el)) && isBeyondScroll(el, position)) return true;
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

// Whether an element is moved so far to the left or up that it may be out of sight.
function movesOut({ transform, translate }) {
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
const isSolid = (el, style) =>
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
