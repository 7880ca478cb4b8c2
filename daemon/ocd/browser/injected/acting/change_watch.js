// Watching what an action does to a page until that has come to rest.

let changeWatch = null;
const WITH_VALUES = 'input, textarea, select, video, audio';
const OBSERVED_CHANGES = {
  subtree: true,
  childList: true,
  attributes: true,
  attributeOldValue: true,
  characterData: true,
  characterDataOldValue: true,
};
const MAX_RECORDS = 3000;
const MAX_ROOTS = 30; // trees that are watched
const MAX_HELD = 300; // fields whose values are compared
const MAX_PROBED = 2000; // elements that are asked whether they show: a millisecond or two
// Of a page with more, those that are shown and hidden as a whole.
const PROBED_SELECTOR =
  'body > *, [id], [role], [aria-hidden], [hidden], [popover], [style*=none], dialog, nav, aside, ul';
const MOTION_MS = 600; // what moves or fades in is waited for: only then it shows
const UNFOLDING_MS = 50; // between two steps of what a script unfolds
const UNFOLDING_FRAMES = 3; // likewise: on a busy page the step is late, and each frame, too
const AFTER_MOTION_MS = 30; // within this a page goes on to what follows a motion
const MOTION =
  /^(?:opacity|visibility|display|transform|translate|scale|height|width|max-?height|max-?width|left|right|top|bottom|inset|margin|clip|grid)/i;

// What has no box of its own, as some custom elements, shows by what is in it.
const isBoxless = (el) => getComputedStyle(el).display === 'contents';

// Whether an element stands where nobody can scroll to, as what only a hovering mouse brings in sight.
function isOffscreen(el) {
  const { right, bottom, width, height } = boundingBoxOf(el);
  if ((right > 0 && bottom > 0) || width === 0 || height === 0) return false;
  return isBeyondScroll(el, getComputedStyle(el).position);
}

const canBeSeen = (el) => isShown(el) && !isOffscreen(el);

// Events of keys and buttons that windows have had so far. Pages that stop them do not change that.
const INPUT_EVENTS =
  'keydown keyup pointerdown mousedown mouseup click dragstart dragend dragover drop'.split(' ');
const EMBEDDING = /^(?:I?FRAME|OBJECT|EMBED)$/;
const inputEventsIn = (views) =>
  views
    .flatMap((view) => INPUT_EVENTS.map((type) => view.performance.eventCounts.get(type) ?? 0))
    .reduce((sum, count) => sum + count, 0);

// Whether none has come since the watch began. What happens in frames of other origins is not known here.
const lacksInputEvents = ({ views, inputEvents, target }) =>
  areScriptsEnabled() &&
  inputEventsIn(views) === inputEvents &&
  ![target, activeElementOf(document)].some((el) => el && EMBEDDING.test(tagOf(el)));

// Sorts the elements into those that show, and the outermost that do not.
function partitionByVisibility(root, hidden, shown) {
  const all = allMatches(root, nodeTypeOf(root) === 9 ? 'body *' : '*');
  let asked = 0;
  let skipped = null;
  for (const el of all.length > MAX_PROBED ? allMatches(root, PROBED_SELECTOR) : all) {
    if (skipped !== null && nodeContains(skipped, el)) continue;
    if (++asked > MAX_PROBED) break;
    skipped = null;
    if (isShown(el)) {
      (isOffscreen(el) ? hidden : shown).add(el);
      if (el.tagName === 'SELECT') skipped = el; // its value is told, and its options where they are looked for
    } else if (!UNRENDERED_TAGS.has(el.tagName) && el.tagName !== 'OPTION' && !isBoxless(el)) {
      hidden.add(el);
      skipped = el;
    }
  }
}

// What a field holds, as it is told; a password says only that it has something.
function valueOfField(el) {
  if (el.type === 'checkbox' || el.type === 'radio')
    return el.checked || tickOf(el) === 'true' ? 'checked' : 'unchecked';
  if (MEDIA_TAGS.test(el.tagName)) return mediaStateOf(el).trim();
  if (el.type === 'password') return el.value ? '(filled)' : '';
  if (el.type === 'file') return valueOf(el, 'file');
  return el.tagName === 'SELECT'
    ? [...el.selectedOptions].map((one) => squeeze(one.text)).join(', ')
    : el.value;
}

// A custom element that changes goes on in its own tree.
function observeShadow(state, host) {
  const inner = shadowRootOf(host);
  if (!inner || state.roots.has(inner) || state.roots.size >= MAX_ROOTS) return;
  state.roots.add(inner);
  state.observer.observe(inner, OBSERVED_CHANGES);
}

// Whether a change is one of words alone, which no style sheet looks at.
const changesTextOnly = (record) =>
  record.type === 'characterData' ||
  (record.type === 'childList' &&
    [...record.addedNodes, ...record.removedNodes].every(
      (node) => nodeTypeOf(node) !== Node.ELEMENT_NODE,
    ));

function watchChanges(el) {
  if (changeWatch) changeWatch.stop();
  else noteReverted(true);
  const state = {
    target: el,
    hint: hintIfNameless(el),
    views: [...new Set([window, windowOf(documentOf(el)) || window])],
    inputEvents: 0,
    records: [],
    last: 0,
    unfolded: -Infinity,
    over: false,
    title: pageTitleOf(document),
    popovers: new Map(),
    values: new Map(),
    hidden: new Set(),
    shown: new Set(),
    roots: new Set([document, documentOf(el)]),
    moving: new Set(),
    rested: !isRestRequested(),
    looksDiffer: false,
    submissions: new Submissions(),
  };
  const take = (list) => {
    if (state.records.length < MAX_RECORDS) state.records.push(...list);
    else state.over = true;
    state.last = performance.now();
    for (const record of list) {
      state.looksDiffer ||= !changesTextOnly(record);
      if (record.type !== 'attributes') continue;
      observeShadow(state, record.target);
      if (record.attributeName === 'style' && state.hidden.has(record.target))
        state.unfolded = state.last;
    }
  };
  state.observer = new MutationObserver(take);
  state.take = take;
  const { roots } = state;
  for (let at = rootNodeOf(el); hostOf(at); at = rootNodeOf(hostOf(at))) roots.add(at);
  // What is shown above the page by itself changes no node.
  const shown = (event) => {
    if (event.target.popover) state.popovers.set(event.target, event.oldState);
    state.looksDiffer = true;
    state.last = performance.now();
  };
  for (const root of roots) {
    state.observer.observe(root, OBSERVED_CHANGES);
    listenTo(root, 'beforetoggle', shown, true);
    for (const type of SUBMISSION_EVENTS) listenTo(root, type, state.submissions, true);
    for (const one of [...allMatches(root, WITH_VALUES)].slice(0, MAX_HELD))
      state.values.set(one, valueOfField(one));
    partitionByVisibility(root, state.hidden, state.shown);
    for (const one of animationsIn(root)) state.moving.add(one);
  }
  state.stop = () => {
    state.observer.disconnect();
    for (const root of roots) {
      stopListening(root, 'beforetoggle', shown, true);
      for (const type of SUBMISSION_EVENTS) stopListening(root, type, state.submissions, true);
    }
  };
  state.inputEvents = inputEventsIn(state.views);
  changeWatch = state;
}

// For an action in a frame that this page does not see into: what is in the page may all move.
function watchPage() {
  watchChanges(headOf(document) ?? rootElementOf(document));
}

// Resolves when what the action set off has come to rest, and tells the difference. Where a list has opened beside
// what was typed into (`offers`), it says so alone, and goes on watching.
async function settle(el, options) {
  const guard = takeClickGuard();
  const state = changeWatch;
  if (!state) return null;
  if (areScriptsEnabled()) await untilSettled(state, options);
  const left = state.observer.takeRecords();
  if (left.length) state.take(left);
  if (options.offers && (await opensList(state, el)))
    return runReader(() => ({ offers: true }), { next: options.next });
  state.stop();
  changeWatch = null;
  if (el) noteAction(el);
  const title =
    window !== top || pageTitleOf(document) === state.title ? null : pageTitleOf(document);
  const { next, lines, describe_page: describePage } = options;
  return runReader(
    () => {
      const own = options.value && el ? controlOf(el) : null;
      const told = describeChanges(state, lines, own);
      return {
        ...told,
        title,
        closing: window.closed,
        invalid: state.submissions.invalid(),
        ...clickOutcome(guard, () => title !== null || changesMore(state, told, guard)),
        ...describeValue(state, el, options),
        unheard: lacksInputEvents(state),
        standing: describePage
          ? describeLayers({ isNews: (message) => hasNewWords(state, message) })
          : null,
      };
    },
    { next },
  );
}

// What the control that was acted on holds now, whether that is what it was `given`, and what the browser has against it.
function describeValue(state, el, { value, given, writes }) {
  const before = el ? state.values.get(controlOf(el)) : null;
  const instead = given && el ? differingValue(el, given, before, state.records) : null;
  return {
    value: value && el ? stateOf(el) : null,
    instead,
    not_valid: writes && el && !instead && isInvalid(el) ? validityNote(controlOf(el)) : null,
    taken_back: finishWritten(el, given, instead, before),
  };
}

// Whether a click that was not received has changed more than that its target, or what that stands in, went: as pages
// do that act when the mouse is pressed.
function changesMore(state, told, { el }) {
  if (told.added.length || told.moved.length || told.values.length) return true;
  const isNews = (node) =>
    !nodeContains(node, el) && !UNRENDERED_TAGS.has(node.tagName) && textContentOf(node).trim();
  return (
    [...state.values].some(([one, before]) => one.isConnected && valueOfField(one) !== before) ||
    state.records.some(
      ({ type, target, addedNodes, removedNodes }) =>
        !nodeContains(el, target) &&
        (type === 'characterData' || [...addedNodes, ...removedNodes].some(isNews)),
    )
  );
}

// Whether an element was hidden before, or something in it has changed.
const hasChangedIn = (state, el) =>
  becameVisible(state, el) || state.records.some(({ target }) => el.contains(target));
// The same of its words: what only moves or fades brings none.
const hasNewWords = (state, el) =>
  becameVisible(state, el) ||
  state.records.some(({ target, type }) => type !== 'attributes' && el.contains(target));
const becameVisible = (state, el) => state.hidden.has(el) || isInside(el, state.hidden);

// Until nothing has changed for `quiet` ms, `most` at most, and nothing comes in or goes any more; at least
// for `wait`. No frame is waited for where nothing but words changed, and the page's listeners have left
// nothing for later (`calm`).
async function untilSettled(state, { quiet, most, wait = 0, calm = false }) {
  const began = performance.now();
  if (calm && !wait && state.last && !state.looksDiffer && !isMoving(state)) {
    if (state.rested) noteRest();
    return;
  }
  await pause(0);
  let limit = began + most;
  let [moved, drawn] = [0, false];
  let [step, framesSince] = [-Infinity, UNFOLDING_FRAMES];
  for (;;) {
    const now = performance.now();
    if (state.unfolded > step) [step, framesSince] = [state.unfolded, 0];
    const unfolding = now - step < UNFOLDING_MS || framesSince < UNFOLDING_FRAMES;
    const moving = now - began < MOTION_MS && (unfolding || isMoving(state));
    if (moving) [moved, limit] = [now, now + most];
    const restless = state.last && now < limit && now - state.last < quiet;
    if (!restless && now - began >= wait && (!moved || now - moved >= AFTER_MOTION_MS)) return;
    if (moved || !drawn || now - began < wait) await nextFrame();
    else await pause(quiet - (now - state.last));
    drawn = true;
    framesSince++;
  }
}

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// Whether something has begun to come in or to go, apart from what is inside the element acted on.
function isMoving(state) {
  return [...state.roots].some((root) => animationsIn(root).some((one) => isComingIn(one, state)));
}

function isComingIn(one, state) {
  // Libraries hold a motion until what comes in has been measured.
  if (state.moving.has(one) || !/^(?:running|paused)$/.test(one.playState) || !one.effect?.target)
    return false;
  const { endTime } = one.effect.getComputedTiming();
  if (endTime - one.currentTime > MOTION_MS || nodeContains(state.target, one.effect.target))
    return false;
  const names = one.transitionProperty
    ? [one.transitionProperty]
    : one.effect.getKeyframes().flatMap(Object.keys);
  return names.some((name) => MOTION.test(name));
}
