// Acting on an element: when it can be used, where to click, what to write, and what changed.

// Whether timers and frames call us back: they do not where a sandbox forbids scripts, ours included.
let scriptsEnabled;
function areScriptsEnabled() {
  if (scriptsEnabled === undefined) {
    scriptsEnabled = true;
    try {
      // without scripting, what is in a noscript element is made into elements
      const trial = createIn(document, 'div');
      trial.innerHTML = '<noscript><b></b></noscript>';
      scriptsEnabled = !trial.querySelector('b');
    } catch {
      /* a page that takes trusted HTML alone has scripts */
    }
  }
  return scriptsEnabled;
}

// The next drawn frame; a page that draws nothing is asked again soon. Returns whether one was drawn.
const nextFrame = (most = 60) =>
  areScriptsEnabled() &&
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), most);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });

// The control that an element stands for: a label's, or what takes the keys of a code editor.
const controlOf = (el) => (el.tagName === 'LABEL' && el.control) || codeInputOf(el) || el;

// An element without contents has a place on the page, though there is nothing of it to see.
const hasPlace = (el) =>
  el.getClientRects().length > 0 && el.checkVisibility({ visibilityProperty: true });

// Where something is of which nothing can be seen, if that will do: its own place, that of one that shows
// it in its stead, or the one that its words stand in.
function placeOfUnseen(el, options) {
  if (el && options.empty && hasPlace(el)) return el;
  if (!el || !options.unseen) return null;
  if (getComputedStyle(el).display !== 'contents')
    return el.getClientRects().length > 0 ? el : null;
  return (
    [...childElementsOf(el)].find((one) => one.getClientRects().length > 0) ||
    placeOfUnseen(parentElementOf(el), options)
  );
}

// An editable element in a line has no width while it is empty; the caret can be put into it all the same.
const placeOfEmptyEditor = (el, options) =>
  el && !options.point && el.isContentEditable && textContentOf(el) === '' && hasPlace(el)
    ? el
    : null;

const MAX_FACE_PX = 120;
const MAX_TICK_PARTS = 40; // of something to tick that are looked at
const isTicked = (el) => el.tagName === 'INPUT' && TICK_ROLES.has(el.type);

// The box around something to tick that is not drawn itself, where it holds nothing else to act on.
function faceAround(el) {
  const around = parentElementOf(el);
  const others =
    around &&
    [...allMatches(around, 'input, button, select, textarea, a')].some((one) => one !== el);
  return around && !others && visibleBoxOf(around) ? around : null;
}

// The box that the page's scripts draw in the place of something to tick, and tick by a click on it: a click on its label
// may be undone by them.
function drawnFaceOf(el) {
  const face = isTicked(el) && el.hasAttribute('aria-checked') ? faceAround(el) : null;
  return face && visibleBoxOf(face).width <= MAX_FACE_PX ? face : null;
}

// What shows of an element without a box of its own: it is `display: contents`, or what is in it is placed elsewhere.
const shownPartOf = (el) =>
  el.childElementCount > 0
    ? [...allMatches(el, '*')].find((one) => visibleBoxOf(one) && viewOf(one) !== null)
    : null;

// The part of something to tick that alone shows the hand, as the bar of a switch beside its label: the box around all
// of it may not listen.
function handPartOf(el) {
  if (!TICK_ROLES.has(roleOf(el)) || isControlTag(el) || showsHand(el)) return null;
  const within = (at) =>
    [...composedChildrenOf(at)].filter((kid) => nodeTypeOf(kid) === Node.ELEMENT_NODE);
  const waiting = within(el);
  for (
    let at = waiting.shift(), asked = 0;
    at && asked < MAX_TICK_PARTS;
    at = waiting.shift(), asked++
  ) {
    if (!showsHand(at)) waiting.push(...within(at));
    else if (!isControl(at) && visibleBoxOf(at) && !/\S/.test(textContentOf(at))) return at;
  }
  return null;
}

const isControlTag = (el) => /^(?:INPUT|BUTTON|A|LABEL)$/.test(tagOf(el));
const showsHand = (el) => getComputedStyle(el).cursor === 'pointer';

// What of an element takes the mouse: a control that is not drawn is reached by its label, one without a
// box of its own by what is in it.
function surfaceOf(el) {
  const box = visibleBoxOf(el);
  const unseen = !box || isInvisible(el, getComputedStyle(el));
  const drawn = unseen ? drawnFaceOf(el) : null;
  if (drawn) return [drawn, visibleBoxOf(drawn)];
  // A click on the label of a field with a list gives it the focus alone.
  const label =
    unseen && !(box && listKind(el)) ? labelsOf(el).find((one) => visibleBoxOf(one)) : null;
  if (label) return [label, visibleBoxOf(label)];
  const face = !box && isTicked(el) ? faceAround(el) : null;
  if (face) return [face, visibleBoxOf(face)];
  const part = box ? null : shownPartOf(el);
  if (part) return [part, visibleBoxOf(part)];
  if (!box && textBoxOf(el)) return [el, textBoxOf(el)];
  if (!box && el.tagName === 'OPTION' && el.closest('select'))
    return [el.closest('select'), visibleBoxOf(el.closest('select'))];
  const hand = box ? handPartOf(el) : null;
  return hand ? [hand, visibleBoxOf(hand)] : [el, box];
}

const READ_ONLY = 'it is read-only';

function disabledReason(el, editable) {
  const control = controlOf(el);
  if (control.matches(':disabled')) return 'it is disabled';
  if (isMarkedDisabled(control)) return 'it is marked aria-disabled';
  const around = closestMatch(control, 'button:disabled');
  if (around) return `it is part of ${describe(around)}, which is disabled`;
  if (control.closest('[inert]')) return 'it is inert';
  if (editable && (control.readOnly === true || control.getAttribute('aria-readonly') === 'true'))
    return READ_ONLY;
  return '';
}

// What lies over an element: the dialog that it is a part of, or its backdrop, if that is open before what is covered;
// else itself.
function layerOver(covering, covered) {
  const layer = layersOf(focusedElement()).find(
    (one) =>
      (nodeContains(one, covering) || nodeContains(covering, one)) && !nodeContains(one, covered),
  );
  return layer ? layerLine(layer) : describe(covering);
}

function describe(el) {
  const role = toldRoleOf(el);
  const name =
    el === rootElementOf(documentOf(el))
      ? ''
      : nameOf(el, role) || squeeze((textContentOf(el) || '').slice(0, 200));
  const id = el.id ? `#${el.id}` : '';
  const classes =
    !id && typeof el.className === 'string' && el.className
      ? `.${squeeze(el.className).split(' ').join('.')}`
      : '';
  return `${role || `<${el.tagName.toLowerCase()}${id}${classes}>`}${name ? ` ${quote(clip(name, 80))}` : ''}`;
}

// Whether a box to tick that is not drawn lies over the words beside it, which are its face.
const isOverItsFace = (hit, el) =>
  Boolean(hit) &&
  isTicked(hit) &&
  !isControl(el) &&
  parentElementOf(hit) !== null &&
  nodeContains(parentElementOf(hit), el) &&
  isInvisible(hit, getComputedStyle(hit));

function isPartOfTarget(hit, el) {
  if (isOverItsFace(hit, el)) return true;
  for (let at = hit; at; at = (tagOf(at) !== 'FORM' && at.assignedSlot) || composedParentOf(at)) {
    if (at === el) return true;
    if (at.tagName === 'LABEL' && (at.control === el || isFaceOf(at, el))) return true;
  }
  return false;
}

// Whether a label that is no control's is drawn over a box to tick beside it: the page's scripts tick that.
const isFaceOf = (label, el) =>
  label.control === null &&
  isTicked(el) &&
  [previousElementSiblingOf(label), nextElementSiblingOf(label)].includes(el);

function isOutsideWindow(el, box) {
  const view = windowOf(documentOf(el));
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) return true;
  return false;
}

const hasMoved = (a, b) =>
  !b || Math.abs(a.x - b.x) > 0.5 || Math.abs(a.y - b.y) > 0.5 || Math.abs(a.width - b.width) > 0.5;
// What moves does so from frame to frame, and a busy machine draws few: before one was drawn, nothing
// is known to stand still.
const STILL_MS = 300;
const RETRY_MS = 30;
const RESTLESS_MS = 1000; // after so long, what still moves is not waited for
const MAX_STEP = 8; // parts of its size that such a thing may move from frame to frame
const SCROLL_BLOCKS = ['center', 'end', 'start', 'nearest'];

// While something is dragged, lists take the pointer in place of their items, and it is in the way itself.
const isCoveredByDrag = (surface, by) =>
  getComputedStyle(surface).pointerEvents === 'none' ||
  nodeContains(by, surface) ||
  isPartOfTarget(by, drag.source);

const MAX_UNLOCK_FRAMES = 20;

// Has the page let go of the mouse, as Escape does: else all clicks go to the element that holds it.
async function releasePointer(surface) {
  for (let frame = 0; frame < MAX_UNLOCK_FRAMES; frame++) {
    const holder = pointerLockIn(document);
    if (holder === null || holder === surface) return;
    unlockPointerIn(document);
    await nextFrame();
  }
}

// What Escape does in a window beside telling the page: the mouse is free, and the page no longer in full screen.
function escape() {
  if (pointerLockIn(document) !== null) unlockPointerIn(document);
  return fullScreenIn(document) === null ? null : endFullScreenIn(document).then(() => null);
}

// Whether something that never stops is still under the point where it was seen when a click arrives.
const movesSlowly = (a, b) =>
  Math.abs(a.x - b.x) <= b.width / MAX_STEP && Math.abs(a.y - b.y) <= b.height / MAX_STEP;

// One look: an element that can be used has a point; else `why` it cannot. restless: it has been moving all the time.
async function tryTarget(el, options, round, restless) {
  if (!isPresent(el)) return { why: 'detached' };
  const [surface, box] = surfaceOf(el);
  if (options.point && pointerLockIn(document) !== null) await releasePointer(surface);
  const place = box ? surface : placeOfUnseen(el, options) || placeOfEmptyEditor(el, options);
  if (!place) return { why: 'not_visible' };
  const disabled = options.enabled && disabledReason(el, options.editable);
  if (disabled)
    return {
      why: 'not_enabled',
      text: disabled,
      ...(disabled === READ_ONLY && {
        hint: 'If the page sets it: click it, and choose from what opens.',
      }),
    };
  if (!box) {
    if (options.scroll)
      place.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return {};
  }
  let placed = box;
  let scrolled = true;
  const scrolls =
    surface.tagName === 'AREA'
      ? pictureOf(surface)
      : visibleBoxOf(surface)
        ? surface
        : parentElementOf(surface);
  if (round > 0 || isOutsideWindow(surface, box) || options.scroll) {
    const block = SCROLL_BLOCKS[round % SCROLL_BLOCKS.length];
    scrolls.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
    placed = visiblePlaceOf(surface);
  } else if (documentOf(surface) !== document || window !== top) {
    // also in a frame that we cannot look out of
    scrolls.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    placed = visiblePlaceOf(surface);
  } else scrolled = false;
  if (!options.point && !options.scroll) return {};
  const began = animationTime(surface);
  const faint = options.continues ? opacityOf(surface) : 1;
  let drawn = true;
  if (scrolled || !isAtRest(surface)) drawn = await nextFrame(STILL_MS);
  if (beginsToMove(surface)) drawn = await nextFrame(STILL_MS);
  drawn = await waitUntilDrawn(began, surface, drawn);
  if (!isPresent(el)) return { why: 'detached' };
  const now = visiblePlaceOf(surface);
  if (!now) return { why: 'not_visible' };
  // Lists that are still being faded in close on a click on their options.
  const fadesIn = faint < 1 && opacityOf(surface) > faint;
  if (!drawn || fadesIn || (hasMoved(placed, now) && !(restless && movesSlowly(placed, now))))
    return { why: 'moving' };
  if (!options.point) return {};
  const handler = handlerOf(surface);
  const spot = clickPointOf(handler, now);
  if (!spot)
    return {
      why: 'not_visible',
      text: 'it lies outside the window and cannot be scrolled into view',
    };
  if (spot.by && options.dragging && isCoveredByDrag(surface, spot.by))
    return { x: spot.x, y: spot.y };
  if (spot.by && surface === handler && getComputedStyle(surface).pointerEvents === 'none') {
    const hint = 'Wait until the page lets it be clicked, or act on what gets the clicks.';
    return {
      why: 'not_enabled',
      text: `clicks pass through it to ${describe(spot.by)} (pointer-events: none)`,
      hint,
    };
  }
  if (spot.by) return { why: 'covered', text: layerOver(spot.by, el) };
  return { x: spot.x, y: spot.y };
}

// Whether something has come under the mouse while it stood still. Menus that open under it wait for
// its next move, and would take the one to another item for it.
let cameUnderMouse = false;
if (areScriptsEnabled()) {
  const listen = (type, came) =>
    addEventListener(
      type,
      (event) => {
        if (event.isTrusted) cameUnderMouse = came && !PAGE_TAGS.has(event.target.tagName);
      },
      { capture: true, passive: true },
    );
  listen('mouseover', true);
  listen('mousemove', false);
}

// Waits until the element can be used, at most `budget` ms, and begins to watch what changes.
async function waitReady(el, options) {
  const stop = performance.now() + options.budget;
  let covered = 0;
  let movingSince = Infinity;
  for (;;) {
    const restless = performance.now() - movingSince > RESTLESS_MS;
    const found = await tryTarget(el, options, covered, restless);
    if (found.why !== 'moving') movingSince = Infinity;
    else movingSince = Math.min(movingSince, performance.now());
    const over =
      performance.now() >= stop || (!areScriptsEnabled() && covered + 1 >= SCROLL_BLOCKS.length);
    if (!found.why || found.why === 'detached' || over) {
      if (found.why) return found;
      if (!options.continues || !changeWatch) watchChanges(el);
      if (options.strike) guardClick(el);
      const sends = options.editable ? '' : formTargetOrigin(el, options.point);
      return {
        ...found,
        sends,
        stir: cameUnderMouse,
        selected: options.select && !cameUnderMouse ? selectAll(el) : null,
      };
    }
    covered = found.why === 'covered' || !areScriptsEnabled() ? covered + 1 : 0;
    await nextFrame();
  }
}

// The other origin that a form goes to when this element is clicked, or gets Enter; '' for none.
function formTargetOrigin(el, clicked) {
  const control = clicked ? el.closest?.('button, input, [type=submit]') : el;
  const form = control && ownerFormOf(control);
  if (!form || (clicked && !/^(submit|image)$/.test(control.type))) return '';
  const action = control.hasAttribute('formaction')
    ? control.getAttribute('formaction')
    : form.getAttribute('action');
  try {
    const { origin } = new URL(action || urlOf(document), baseOf(document));
    return origin === location.origin ? '' : origin;
  } catch {
    return '';
  }
}

const ownerFormOf = ({ form }) =>
  form?.nodeType === Node.ELEMENT_NODE && tagOf(form) === 'FORM' ? form : null;

// Where a point of a child frame lies in ours, and what covers the frame there.
function throughFrame(frame, x, y) {
  const found = toWindowPoint(frame, ...toParentPoint(frame, x, y));
  return { x: found.x, y: found.y, covered: found.by ? describe(found.by) : '' };
}

// What something without a name is called: a field by the words beside it.
function fallbackNameOf(el, control, role) {
  if (PAGE_TAGS.has(tagOf(el))) return '';
  return LABELLED_ROLES.has(role) ? labelBesideOf(control) : shortWordsOf(el);
}

// What the root element is called in every document, a drawing or other XML, too: it stands for the page.
const PAGE_ROLE = 'html';

// `whole`: with what tells the element again on a page whose ids and order have changed.
function elementFacts(el, whole) {
  const control = controlOf(el);
  const role = roleOf(control);
  const isPage = el === rootElementOf(documentOf(el));
  const name = clip(nameOf(control, role) || nameOf(el, role) || fallbackNameOf(el, control, role));
  return {
    role: isPage ? PAGE_ROLE : toldRoleOf(control) || el.tagName.toLowerCase(),
    name: isPage ? '' : name,
    kind: kindOf(el),
    state: stateOf(el),
    most: control.maxLength > -1 ? control.maxLength : null,
    secret: control.type === 'password',
    radio: control.type === 'radio',
    internal: hasInternalRole(control),
    compound: isCompound(control, role),
    by_click: opensByClick(control, role),
    several: holdsSeveral(control),
    characters: characterFields(control)[0] === control ? characterFields(control).length : 0,
    suggests: control.tagName === 'INPUT' && Boolean(control.list),
    ...(whole ? { identity: identityOf(control) } : {}),
  };
}

Object.assign(globalThis.openchrome, {
  ready: waitReady,
  settle,
  elementFacts,
  escape,
  chooseInTime,
  setDirectly: setValueDirectly,
  selectAll,
  hearKeyUp,
  caretToEnd,
  hasFocus,
  takeFocus,
  findSubstitute,
  throughFrame,
  stateOf,
});
