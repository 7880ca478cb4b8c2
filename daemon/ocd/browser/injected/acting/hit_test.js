// What is at a place of the window, which element has the focus, and where things have been scrolled to.

let hitPoint = [0, 0];
const INTERACTIVE_OR_ROLE =
  'a[href], button, input, select, textarea, summary, label, option, [role], [tabindex], [onclick], [contenteditable]';

// What lies on top at a point of the window, in frames that can be looked into, too.
function hitTest(x, y) {
  let found = topElementAt(document, x, y);
  while (found && /^I?FRAME$/.test(found.tagName) && innerDocument(found)) {
    [x, y] = toFramePoint(found, x, y);
    const inner = topElementAt(innerDocument(found), x, y);
    if (!inner) break;
    found = inner;
  }
  hitPoint = [x, y];
  return found || rootElementOf(document);
}

// The control that a hit element belongs to: a click on a button's icon is one on the button.
const controlAround = (el) => closestAround(el, INTERACTIVE_OR_ROLE) || el;

// What is known of an element that was found by its place; where to go on in a frame that cannot be looked into.
function hitElement(el, whole) {
  if (/^I?FRAME$/.test(el.tagName) && !innerDocument(el)) {
    return { frame: toFramePoint(el, ...hitPoint) };
  }
  watchChanges(el);
  return {
    about: elementFacts(el, whole),
    ref: el === rootElementOf(document) ? '' : `e${refOf(el)}`,
    acts: closestAround(el, INTERACTIVE_OR_ROLE) !== null,
  };
}

const scrollsBy = (one, across) => {
  const style = getComputedStyle(one);
  return across
    ? one.scrollWidth > one.clientWidth && /auto|scroll/.test(style.overflowX)
    : one.scrollHeight > one.clientHeight && /auto|scroll/.test(style.overflowY);
};

function scrollerAround(el, across) {
  let at = el;
  while (at && !scrollsBy(at, across)) at = composedParentOf(at);
  return at || null;
}

function scrollBoxOf(el, across) {
  return (
    scrollerAround(el, across) ||
    (PAGE_TAGS.has(tagOf(el)) &&
      !pageScrolls(documentOf(el), across) &&
      boxInSight(documentOf(el), across)) ||
    rootScrollerOf(documentOf(el)) ||
    rootElementOf(documentOf(el))
  );
}

function pageScrolls(doc, across) {
  const page = rootScrollerOf(doc);
  return (
    page !== null &&
    (across ? page.scrollWidth > page.clientWidth : page.scrollHeight > page.clientHeight)
  );
}

const SAMPLES = [0.1, 0.3, 0.5, 0.7, 0.9]; // of the window's width and height

// The largest box in sight that scrolls, of a page that does not: what a wheel would turn there.
function boxInSight(doc, across) {
  const area = (box) => box.clientWidth * box.clientHeight;
  let best = null;
  for (const x of SAMPLES)
    for (const y of SAMPLES) {
      const met = topElementAt(doc, x * innerWidth, y * innerHeight);
      const at = met && scrollerAround(met, across);
      if (at && (best === null || area(at) > area(best))) best = at;
    }
  return best;
}

// Resolves when a scroll has come to rest: two frames without a change.
async function waitScrollEnd(el, across, way, most) {
  const box = scrollBoxOf(el, across);
  const stop = performance.now() + most;
  const place = () => `${box.scrollLeft} ${box.scrollTop}`;
  for (let before = '', still = 0; still < 2 && performance.now() < stop;) {
    await nextFrame();
    const now = place();
    still = now === before || !areScriptsEnabled() ? still + 1 : 0;
    before = now;
  }
  return scrollPosition(box, across, way);
}

function scrollPosition(box, across, way) {
  const [at, room] = across
    ? [box.scrollLeft, box.scrollWidth - box.clientWidth]
    : [box.scrollTop, box.scrollHeight - box.clientHeight];
  return {
    position: { x: Math.round(box.scrollLeft), y: Math.round(box.scrollTop) },
    dimensions: {
      scroll_width: box.scrollWidth,
      scroll_height: box.scrollHeight,
      client_width: box.clientWidth,
      client_height: box.clientHeight,
    },
    at_end: way > 0 ? at >= room - 1 : at <= 0,
  };
}

const SMOOTH_SCROLL_MS = 3000;

// Scrolls the box that an element stands in, at once or smoothly, and then until it rests.
async function scrollElement(el, x, y, smooth) {
  const box = scrollBoxOf(el, !y);
  if (smooth && areScriptsEnabled() && !scrollPosition(box, !y, y || x).at_end) {
    const at = box === rootScrollerOf(documentOf(box)) ? documentOf(box) : box;
    const over = new Promise((resolve) => {
      listenTo(at, 'scrollend', resolve, { once: true });
      setTimeout(resolve, SMOOTH_SCROLL_MS);
    });
    box.scrollBy({ left: x, top: y, behavior: 'smooth' });
    await over;
  } else box.scrollBy({ left: x, top: y, behavior: 'instant' });
  return scrollPosition(box, !y, y || x);
}

Object.assign(globalThis.openchrome, {
  hit: (x, y) => {
    const el = hitTest(x, y);
    return /^I?FRAME$/.test(el.tagName) ? el : controlAround(el);
  },
  focused: focusedElement,
  waitScrollEnd,
  scrollElement,
  isInBox: (el, across) => scrollerAround(el, across) !== null,
  shownOf: (el, across) =>
    across ? scrollBoxOf(el, true).clientWidth : scrollBoxOf(el, false).clientHeight,
  hitElement: (el, options) => runReader(() => hitElement(el, options.whole), options),
  screen: () => ({
    width: innerWidth,
    height: innerHeight,
    ratio: devicePixelRatio,
    left: visualViewport.pageLeft,
    top: visualViewport.pageTop,
  }),
  isTyping: (el) => /^(text|rich|code|combo)$/.test(kindOf(el)),
});
