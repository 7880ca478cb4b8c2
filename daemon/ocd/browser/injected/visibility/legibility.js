// Whether text can be made out: its colour against what is behind it, and how much of it is left by
// transforms, zoom and the boxes that cut it off. Asked only of what the quick looks of visibility.js
// leave open.

const MIN_CONTRAST = 8; // of 255, in any channel: nobody makes out less
const MIN_OPACITY = 0.03; // black on white with less is below that
const MIN_SIZE = 1; // px of a letter's height
const MAX_TEXTS = 30; // texts of a cut-off box that are looked at
const MIN_LETTER = 4; // px
const COLOR = /rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:(?:,| \/) ([\d.]+))?\)/g;
const colorCache = new Map(); // by the words of a style: [red, green, blue, opacity], null for other notations
const scratchRange = rangeIn(document);

function parseColor(words) {
  let color = colorCache.get(words);
  if (color === undefined) {
    [color = null] = parseColors(words);
    if (colorCache.size > 1000) colorCache.clear();
    colorCache.set(words, color);
  }
  return color;
}

const parseColors = (words) =>
  [...words.matchAll(COLOR)].map(([, ...parts]) =>
    parts.map((part) => (part === undefined ? 1 : Number(part))),
  );

// A colour laid over another one, both as words of a style; null where it cannot be known.
function blendColors(over, under) {
  const [above, below] = [parseColor(over), under && parseColor(under)];
  if (!above || above[3] === 1) return over;
  if (!below) return null;
  const [r, g, b] = [0, 1, 2].map((i) =>
    Math.round(above[i] * above[3] + below[i] * (1 - above[3])),
  );
  return `rgb(${r}, ${g}, ${b})`;
}

// Whether a colour can be told from the one behind it (null: unknown).
function isDistinct(color, back, opacity) {
  const ink = parseColor(color);
  if (!ink) return color !== back;
  const strength = ink[3] * opacity;
  const paper = back && parseColor(back);
  if (!paper) return strength > MIN_OPACITY;
  return [0, 1, 2].some((i) => Math.abs(ink[i] - paper[i]) * strength > MIN_CONTRAST);
}

// Whether a gradient has a colour that can be told from the one behind it; pictures count as if.
function gradientPaints(image, back, opacity) {
  if (!/^(?:repeating-)?(?:linear|radial|conic)-gradient/.test(image) || image.includes('url('))
    return true;
  const found = image.match(COLOR);
  return !found || found.some((color) => isDistinct(color, back, opacity));
}

const PICTURE_TAGS = new Set(['IMG', 'VIDEO', 'CANVAS', 'IFRAME', 'EMBED', 'OBJECT']);

// Whether a text stands on something that it is not in, such as a picture put behind it.
function hasBackdrop(el, color, opacity) {
  if (!isDistinct(color, null, opacity)) return false;
  scratchRange.selectNodeContents(el);
  const box = scratchRange.getBoundingClientRect();
  const met = elementsAtPoint(documentOf(el), box.left + box.width / 2, box.top + box.height / 2);
  return met.slice(met.indexOf(el) + 1).some((one) => {
    if (nodeContains(one, el)) return false;
    const { backgroundColor, backgroundImage } = getComputedStyle(one);
    return (
      PICTURE_TAGS.has(tagOf(one)) ||
      backgroundImage !== 'none' ||
      (!isTransparent(backgroundColor) && isDistinct(color, backgroundColor, opacity))
    );
  });
}

// How much of the height and the width of a box its own transform leaves: 0 for nothing.
function shareLeftByTransform(style) {
  let part = 1;
  const { transform, scale, rotate } = style;
  if (transform !== 'none') {
    const numbers = transform
      .slice(transform.indexOf('(') + 1)
      .split(',')
      .map(parseFloat);
    const [a, b, c, d] = transform.startsWith('matrix3d')
      ? [numbers[0], numbers[1], numbers[4], numbers[5]]
      : numbers;
    const most = Math.max(Math.hypot(a, b), Math.hypot(c, d));
    part = most === 0 ? 0 : Math.abs(a * d - b * c) / most;
  }
  if (scale !== 'none')
    part *= Math.min(
      ...scale
        .split(' ')
        .slice(0, 2)
        .map((one) => Math.abs(parseFloat(one)) / (one.endsWith('%') ? 100 : 1)),
    );
  const turned = /^(?:x|y) (-?[\d.]+)deg$/.exec(rotate);
  return turned ? part * Math.abs(Math.cos((turned[1] * Math.PI) / 180)) : part;
}

// Whether filter or mask take away all of an element.
function isFilteredOut(style) {
  const { filter, maskImage } = style;
  if (filter !== 'none') {
    for (const [, part] of filter.matchAll(/opacity\(([\d.]+)\)/g))
      if (part <= MIN_OPACITY) return true;
  }
  if (maskImage === 'none') return false;
  if (/^0(?:px|%)?(?: |$)/.test(style.maskSize)) return true;
  return (
    style.maskMode !== 'luminance' &&
    !/url\(/.test(maskImage) &&
    parseColors(maskImage).length > 0 &&
    parseColors(maskImage).every((color) => color[3] <= MIN_OPACITY)
  );
}

// Whether no scrolling brings the box, or what flows out of it, into sight: left of or above the page. One without
// an area that stands on the edge is not: it holds what is placed elsewhere, such as the layers of an application.
function isBeyondScroll(el, position) {
  const box = el.getBoundingClientRect();
  if (position !== 'fixed' && box.right > 0 && box.bottom > 0)
    return position === 'absolute' && isPinnedOutside(el, box);
  if (box.width === 0 && box.height === 0) return false;
  const view = windowOf(documentOf(el));
  if (!view) return false;
  const hasArea = box.width > 0 && box.height > 0;
  const isPast = (place) => (hasArea ? place <= 0 : place < 0);
  const [x, y] = position === 'fixed' ? [0, 0] : [view.scrollX, view.scrollY];
  const rightToLeft = directionOf(documentOf(el)) === 'rtl' && position !== 'fixed';
  // The track of a carousel is moved away, and shows what flows out of it.
  const [right, bottom] = [
    Math.max(box.right, box.left + el.scrollWidth),
    Math.max(box.bottom, box.top + el.scrollHeight),
  ];
  if (isPast(bottom + y) || (!rightToLeft && isPast(right + x))) {
    const [across, down] = position === 'fixed' ? [0, 0] : scrollOffset(el);
    return isPast(bottom + y + down) || (!rightToLeft && isPast(right + x + across));
  }
  return (
    position === 'fixed' &&
    (isPast(view.innerWidth - box.left) || isPast(view.innerHeight - box.top))
  );
}

// Whether an element stands right of the window or below it, in a box that does not move with the page.
function isPinnedOutside(el, box) {
  const view = windowOf(documentOf(el));
  if (!view || (box.left < view.innerWidth && box.top < view.innerHeight)) return false;
  for (let at = shownParentOf(el); at; at = shownParentOf(at)) {
    const { position, overflow } = getComputedStyle(at);
    if (position === 'static') continue;
    if (/auto|scroll/.test(overflow)) return false;
    if (position === 'fixed') return true;
  }
  return false;
}

// How far the boxes around an element are scrolled: what they have moved away can be brought back.
function scrollOffset(el) {
  let [across, down] = [0, 0];
  for (
    let at = shownParentOf(el);
    at && at !== rootElementOf(documentOf(el));
    at = shownParentOf(at)
  ) {
    across += at.scrollLeft;
    down += at.scrollTop;
  }
  return [across, down];
}

// Whether a box that cuts off what flows out of it leaves none of its texts.
function isCutOff(el) {
  const box = el.getBoundingClientRect();
  if (startsInside(el, box)) return false;
  const texts = walkerIn(document, el, NodeFilter.SHOW_TEXT);
  let met = 0;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!/\S/.test(text.data)) continue;
    scratchRange.selectNodeContents(text);
    const lines = scratchRange.getClientRects();
    if (
      lines.length &&
      (++met > MAX_TEXTS || isAnyLineIn(lines, box) || escapesBox(text.parentElement, el))
    )
      return false;
  }
  return met > 0;
}

// Whether the first text in a box lies inside of it: of most boxes that is all there is to ask.
function startsInside(el, box) {
  let at = firstChildOf(el);
  for (let steps = 0; at !== null && steps < MAX_TEXTS; steps++) {
    const type = nodeTypeOf(at);
    if (type === 3 && /\S/.test(at.data)) break;
    at = (type === 1 && firstChildOf(at)) || nextSiblingOf(at);
  }
  if (at === null || nodeTypeOf(at) !== 3) return false;
  scratchRange.selectNodeContents(at);
  const { left, right, top, bottom } = scratchRange.getBoundingClientRect();
  return (
    right - left > MIN_LETTER &&
    bottom - top > MIN_LETTER &&
    left >= box.left &&
    right <= box.right &&
    top >= box.top &&
    bottom <= box.bottom
  );
}

const isAnyLineIn = (lines, box) =>
  [...lines].some(
    (line) =>
      Math.min(line.right, box.right) - Math.max(line.left, box.left) >= 1 &&
      Math.min(line.bottom, box.bottom) - Math.max(line.top, box.top) >= 1,
  );

// Whether something in a box may be placed by what surrounds that.
function escapesBox(el, box) {
  for (let at = el; at && at !== box; at = parentElementOf(at))
    if (/absolute|fixed/.test(getComputedStyle(at).position)) return true;
  return false;
}
