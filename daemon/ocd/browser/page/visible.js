// What a person can see. Every element on the way down gets a View: its style and what it inherits.

const NEVER = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD', 'META', 'LINK', 'TITLE',
  'BASE', 'SOURCE', 'TRACK', 'PARAM', 'DATALIST', 'COL', 'COLGROUP', 'RP', 'AREA',
  // of drawings
  'DESC', 'METADATA', 'DEFS', 'SYMBOL', 'CLIPPATH', 'MASK', 'PATTERN', 'MARKER', 'FILTER',
  'LINEARGRADIENT', 'RADIALGRADIENT']);
const CONTROLS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const OFF = 500; // px: nobody indents a text that far to show it

class View {
  constructor(el, above, style, display) {
    this.el = el; // or one that looks alike
    this.above = above;
    this.style = style;
    this.inert = el.inert === true || (above !== null && above.inert && !isModal(el));
    this.inline = display === 'inline' || display === 'contents' || display.startsWith('ruby') || display.endsWith('math');
    this.known = undefined;
    this.legible = undefined;
    this.likeness = null; // who knows which elements inside look alike
    this.alike = null; // the views of what is inside, by their keys
    this.drawn = undefined;
    this.points = undefined;
    this.fixed = undefined;
    this.keeps = undefined;
    this.edits = undefined;
  }

  get visible() {
    return this.drawn ??= this.style.visibility === 'visible';
  }

  get preserves() {
    return this.keeps ??= this.style.whiteSpaceCollapse === 'preserve';
  }

  // Whether it is where editing begins.
  get host() {
    return this.edits ??= isEditingHost(this.el);
  }

  get pointer() {
    return this.points ??= this.style.cursor === 'pointer';
  }

  // Whether its place or its size may hide it.
  get placed() {
    return this.fixed ??= /absolute|fixed/.test(this.style.position) || this.style.overflowX !== 'visible';
  }

  // The colour behind the text, null where it cannot be known from ancestors alone.
  get back() {
    if (this.known === undefined) {
      const style = this.style;
      if (style.backgroundImage !== 'none' || style.filter !== 'none') this.known = null;
      else if (!clear(style.backgroundColor)) this.known = style.backgroundColor;
      else if (style.position !== 'static') this.known = null;
      else this.known = this.above ? this.above.back : 'rgb(255, 255, 255)';
    }
    return this.known;
  }

  contrasts(color) {
    if (!clear(color) && color !== this.back) return true;
    // Text of a drawing has a fill instead.
    return this.style.fill !== 'rgb(0, 0, 0)' || this.style.backgroundClip === 'text';
  }

  // Whether text directly inside is readable.
  get readable() {
    if (this.legible === undefined) {
      const style = this.style;
      this.legible = style.visibility === 'visible' && parseFloat(style.fontSize) >= 1
        && parseFloat(style.textIndent) > -OFF && this.contrasts(style.color);
    }
    return this.legible;
  }
}

const clear = (color) => color === 'rgba(0, 0, 0, 0)' || (color[3] === 'a' && color.endsWith(', 0)')) || color.endsWith('/ 0)');

function isModal(el) {
  return (el.tagName === 'DIALOG' && el.open && el.matches(':modal')) || el.getAttribute('aria-modal') === 'true';
}

// The view of an element inside `above`, or null where nothing of it is shown.
function look(el, above) {
  const key = above !== null && above.likeness !== null ? above.likeness.key(el) : null;
  if (key === null) return lookAt(el, above);
  const alike = above.alike ??= new Map();
  const twin = alike.get(key);
  // Where an element stands, and how large it is, is its own.
  if (twin !== undefined) return twin.placed && vanished(el, getComputedStyle(el)) ? null : twin;
  const view = lookAt(el, above);
  if (view) alike.set(key, view);
  return view;
}

function lookAt(el, above) {
  const style = getComputedStyle(el);
  const { display } = style;
  if (display === 'none' || style.contentVisibility === 'hidden') return null;
  if (vanished(el, style) && !CONTROLS.has(el.tagName)) return null;
  const view = new View(el, above, style, display);
  // A shadow tree has rules of its own.
  if (above !== null && above.likeness !== null && rootOf(el) === null) view.likeness = above.likeness;
  return view;
}

function vanished(el, style) {
  if (style.opacity === '0') return true;
  const { position } = style;
  if (style.clipPath !== 'none' && /inset\((50|100)%|circle\(0|polygon\(0px 0px(, 0px 0px)*\)/.test(style.clipPath)) return true;
  if (position === 'absolute' || position === 'fixed') {
    if (/^rect\(([01](px)?,? ?){4}\)$/.test(style.clip)) return true;
    if (beyond(el, position)) return true;
  }
  if (flat(style.transform) || /^0(%| |$)/.test(style.scale)) return true;
  if (style.overflowX === 'visible') return false;
  const tag = el.tagName;
  return tag !== 'BODY' && tag !== 'HTML' && (tiny(style.width) || tiny(style.height));
}

// Whether a transform leaves nothing of a box: the area of what it makes of a unit square is 0.
function flat(transform) {
  if (!transform.startsWith('matrix(')) return false;
  const [a, b, c, d] = transform.slice(7).split(',').map(parseFloat);
  return Math.abs(a * d - b * c) < 1e-6;
}

const tiny = (length) => length.endsWith('px') && parseFloat(length) <= 1;

// Whether no scrolling brings the box into sight: left of or above the page.
function beyond(el, position) {
  const box = el.getBoundingClientRect();
  if (box.width === 0 && box.height === 0) return false;
  const view = el.ownerDocument.defaultView;
  if (!view) return false;
  const [x, y] = position === 'fixed' ? [0, 0] : [view.scrollX, view.scrollY];
  const rightToLeft = el.ownerDocument.dir === 'rtl' && position !== 'fixed';
  if (box.bottom + y <= 0 || (!rightToLeft && box.right + x <= 0)) return true;
  return position === 'fixed' && (box.left >= view.innerWidth || box.top >= view.innerHeight);
}

// Whether an element shows only its summary or its legend at the moment.
function folded(el, kid) {
  if (tagOf(el) !== 'DETAILS' || el.open) return false;
  return !(typeOf(kid) === Node.ELEMENT_NODE && kid.tagName === 'SUMMARY' && isSummary(kid));
}

// The document inside a frame, null if it belongs to another origin.
function inside(frame) {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

function rootView(document) {
  const top = document.documentElement;
  const view = top && look(top, null);
  if (view) {
    const modal = document.querySelector('dialog:modal');
    view.inert = modal !== null;
    view.likeness = Likeness.of(document);
  }
  return view;
}
