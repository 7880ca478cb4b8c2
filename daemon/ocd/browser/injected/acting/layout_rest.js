// Whether the layout is at rest: then what stands still is known to, without waiting for a frame.

// A frame counts as quiet if nothing has changed since it began: what scripts move by themselves,
// they move in every frame. Frames are asked for only until there were enough of them.
let lastChange = performance.now();
let restRequests = 0;
let isAskingRest = false;

const isRestRequested = () => restRequests > 0;

function noteChange(frames) {
  lastChange = performance.now();
  restRequests = Math.max(restRequests, frames);
  if (isAskingRest) return;
  isAskingRest = true;
  requestAnimationFrame(function look(began) {
    if (isRestRequested() && lastChange <= began) restRequests -= 1;
    isAskingRest = isRestRequested();
    if (isAskingRest) requestAnimationFrame(look);
  });
}

// What was done to a page at rest has set nothing in motion.
const noteRest = () => {
  restRequests = 0;
};

const MAX_ANIMATIONS = 20; // animations beyond which it is cheaper to wait for a frame than to ask each
const PAINT_ONLY_PROPERTIES =
  /^(?:transform|translate|rotate|scale|opacity|filter|color|fill|stroke|clipPath|boxShadow|background\w*|offset|computedOffset|easing|composite)$/;

// Whether an animation can move an element: it stands in what is animated, or is pushed aside.
function canMove(animation, el) {
  const { effect } = animation;
  if (animation.playState !== 'running' || !effect) return false;
  if (!effect.target || nodeContains(effect.target, el)) return true;
  return effect
    .getKeyframes()
    .some((frame) => Object.keys(frame).some((name) => !PAINT_ONLY_PROPERTIES.test(name)));
}

// Whether an animation has just begun: the first frame of one shows the element where it was.
const JUST_BEGUN_MS = 50;
const beginsToMove = (el) =>
  animationsIn(documentOf(el)).some(
    (one) => canMove(one, el) && (one.pending || one.currentTime < JUST_BEGUN_MS),
  );

// The time in ms that what can move an element has reached; null where nothing does, or nothing is shown.
function animationTime(el) {
  if (!areScriptsEnabled() || isHiddenDocument(documentOf(el))) return null;
  const moving = animationsIn(documentOf(el)).find(
    (one) => canMove(one, el) && typeof one.timeline?.currentTime === 'number',
  );
  return moving ? moving.timeline.currentTime : null;
}

// A busy machine draws few frames, and some for a time that was asked about before they were begun: in
// them all that is animated stands where it stood.
const ANIMATED_MS = 10;
const ANIMATED_FRAMES = 3;

// Waits until what is animated has moved, if it does; whether that could be seen.
async function waitUntilDrawn(began, el, drawn) {
  for (let frames = 0; ; frames++) {
    const now = animationTime(el);
    if (began === null || now === null) return true;
    if (!drawn || now - began >= ANIMATED_MS || frames === ANIMATED_FRAMES)
      return drawn && now - began >= ANIMATED_MS;
    drawn = await nextFrame(STILL_MS);
  }
}

// How much of an element is seen through itself and what it stands in: 1 for all of it.
function opacityOf(el) {
  let opacity = 1;
  for (let at = el; at && !PAGE_TAGS.has(tagOf(at)); at = composedParentOf(at))
    opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

// Shadow trees push others aside without a change that is seen from here: with them, frames tell.
let hasShadowTrees = false;
let wereShadowsCounted = false;

function hasShadowTree() {
  if (!wereShadowsCounted)
    hasShadowTrees = [...byTag(document, '*')].some(
      (el) => tagOf(el) !== 'FORM' && shadowRootOf(el) !== null,
    );
  wereShadowsCounted = true;
  return hasShadowTrees;
}

function isAtRest(el) {
  if (isRestRequested() || readyStateOf(document) !== 'complete' || documentOf(el) !== document)
    return false;
  if (el.closest('svg, marquee') || hasShadowTree()) return false;
  const animations = animationsIn(document);
  return animations.length <= MAX_ANIMATIONS && !animations.some((one) => canMove(one, el));
}

if (areScriptsEnabled()) {
  const change = () => noteChange(1);
  const changes = (records) => {
    change();
    wereShadowsCounted &&= !records.some((one) => one.type === 'childList');
  };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(changes).observe(document, all);
  for (const name of ['scroll', 'load', 'resize', 'pointerdown', 'keydown', 'input'])
    addEventListener(name, change, { capture: true, passive: true });
  // What moves by the rules of style sheets that scripts change is heard of when it has been drawn.
  new PerformanceObserver(() => noteChange(2)).observe({ type: 'layout-shift' });
  change();
}
