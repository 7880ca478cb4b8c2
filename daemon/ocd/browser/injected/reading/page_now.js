// The topmost layer of the page, and the focused element: in a few words.

const LAYERS_EACH = [
  ':modal',
  ':popover-open',
  'dialog[open]',
  '[role=dialog]',
  '[role=alertdialog]',
  '[aria-modal=true]',
];
const LAYERS = LAYERS_EACH.join(',');
// What tells a person how it went: what breaks in first, then what stands quietly above the page.
const MESSAGES = [
  ['[role=alert]', '[class*=toast i]', '[class*=snackbar i]', '[class*=notification i]'],
  ['[role=status]', '.alert', '.flash', '.messages', '.messagelist'],
];
const LIVE_REGIONS = ['[aria-live]', 'output']; // messages if they are urgent or stand above the page
const MAX_SHOWN = 2_000_000; // characters that are looked through for words
const MAX_TOAST = 300; // characters; what has more is no toast
const MAX_INDENTED = 3 * MAX_TOAST; // with the blanks of its source
const OF_MANY_ROWS = /^(?:table|grid|treegrid|listbox|tree|row)$/; // of data, whatever their class says

// What any of the selectors matches in the document, in its order. One by one, see IMPLICIT_ACTIONS.
// Lists by tag and class the engine keeps for as long as the document does not change.
function visibleMatchesOf(selectors) {
  const found = new Set(selectors.flatMap((one) => [...matchesInPage(one)]));
  return found.size < 2
    ? [...found]
    : [...found].sort((one, other) => (isBefore(one, other) ? -1 : 1));
}

function matchesInPage(selector) {
  if (selector[0] === '.') return byClass(document, selector.slice(1));
  if (selector === 'output') return byTag(document, selector);
  return selector === 'dialog[open]'
    ? [...byTag(document, 'dialog')].filter((one) => one.open)
    : allMatches(document, selector);
}

const isBefore = (one, other) =>
  (compareOrder(one, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

// Open dialogs and popovers, the one in front first; what covers the page without a role is one of them.
// In full screen the whole document is modal, too: then it is no layer of itself.
function layersOf(active) {
  const root = rootElementOf(document);
  const layerAround = (el) => {
    const layer = closestAround(el, LAYERS);
    return layer === root ? null : layer;
  };
  const shown = visibleMatchesOf(LAYERS_EACH).filter(
    (el) => el !== root && visibleBoxOf(el) && isShown(el),
  );
  const inner = shown.filter(
    (el) => !shown.some((other) => other !== el && nodeContains(el, other)),
  );
  const cover = coveringBox();
  if (cover && !inner.some((el) => nodeContains(cover, el) || nodeContains(el, cover)))
    inner.push(cover);
  const front =
    inner.findLast((el) => el.matches(':modal')) ||
    inner.at(-1) ||
    layerAround(active) ||
    layerAround(topElementAt(document, innerWidth / 2, innerHeight / 2));
  return front ? [front, ...inner.filter((el) => el !== front)] : [];
}

// What a reply or a reading has told of each message.
const reportedMessages = new WeakMap();

// `isNews`: whether an action has brought the words of an element anew, even if they are the ones
// told before; without it all messages are told.
function messageLine(isNews) {
  const all = [
    ...MESSAGES.flatMap(visibleMatchesOf),
    ...visibleMatchesOf(LIVE_REGIONS)
      .map(messagePartOf)
      .filter((part) => part !== null),
  ];
  for (const el of all) {
    const words = messageOf(el);
    if (!words || !isReported(el, words, isNews)) continue;
    // What stands around it and in it is of the same message.
    for (const other of all)
      if (other !== el && (nodeContains(el, other) || nodeContains(other, el)))
        reportedMessages.set(other, messageOf(other));
    return clip(words, 80);
  }
  return '';
}

// What of a live region is a message: all of an urgent one, else what stays in its place as the page is
// scrolled, all of it or the one thing in it; null for nothing.
function messagePartOf(el) {
  const live = el.getAttribute('aria-live') ?? 'polite';
  if (live !== 'polite') return live === 'assertive' ? el : null;
  const isFixed = (one) => getComputedStyle(one).position === 'fixed';
  const only = el.childElementCount === 1 ? el.firstElementChild : null;
  if (only !== null && isFixed(only)) return only;
  let at = el;
  while (at !== null && !isFixed(at)) at = shownParentOf(at);
  return at && el;
}

// What an element says as a message, '' if it says none: a count alone is the badge of one.
function messageOf(el) {
  const text = textContentOf(el);
  const shows = text && /\p{L}/u.test(text) && visibleBoxOf(el) && isShown(el);
  if (!shows || OF_MANY_ROWS.test(roleOf(el))) return '';
  const raw = visibleTextOf(el, MAX_INDENTED);
  const words = squeeze(raw);
  return raw.length <= MAX_INDENTED && words.length < MAX_TOAST ? words : '';
}

function isReported(el, words, isNews) {
  const isKnown = isNews !== undefined && reportedMessages.get(el) === words && !isNews(el);
  reportedMessages.set(el, words);
  return !isKnown;
}

// What a box begins with, where that is a heading.
const TITLES = 'h1, h2, h3, h4, h5, h6, [role=heading]';

function leadingHeading(el) {
  const first = firstMatch(el, TITLES);
  const title = first && isShown(first) ? squeeze(visibleTextOf(first, 200)) : '';
  // Before it there may be the sign of a button that closes the box.
  const words = squeeze(visibleTextOf(el, 200)).replace(/^[^\p{L}\p{N}]{0,4}/u, '');
  return words.startsWith(title.replace(/^[^\p{L}\p{N}]{0,4}/u, '')) ? title : '';
}

function layerLine(el) {
  if (!el) return '';
  const role = roleOf(el) || (el.matches(':popover-open') ? 'popover' : 'dialog');
  const words = nameOf(el, role) || leadingHeading(el) || squeeze(visibleTextOf(el, 200));
  return `${role}${words ? ` ${quote(clip(words, 50))}` : ''} [ref=e${refOf(el)}]`;
}

// Its layer, toast and focus, each an empty string if there is none; the layers behind, too, if asked, and
// the fields that a page in answer to a form marks as wrong.
function describeLayers({ layers = 1, isNews, rejected = false } = {}) {
  const active = focusedElement();
  const focus =
    active === rootElementOf(document) || active === bodyOf(document) || clobbered(active)
      ? ''
      : shortLabelOf(active);
  const open = layersOf(active).slice(0, layers);
  return {
    layer: open.map(layerLine).join(' · '),
    modal: open.length > 0 && isModal(open[0]),
    toast: messageLine(isNews),
    focus: open.includes(active) ? '' : focus,
    ...(rejected ? { rejected: rejectedFields() } : {}),
  };
}

// What an outline has above its lines, and why it has none.
const MAX_LAYERS = 4;
const describePage = (empty, onlyRefs) => ({
  ...describeLayers({ layers: MAX_LAYERS }),
  nothing: empty ? emptyReason(onlyRefs) : '',
  rendering: empty && isRendering(),
});

// Whether a page that shows nothing is so young that its scripts may be about to fill it.
const RENDERING_MS = 5000;
const isRendering = () =>
  performance.now() < RENDERING_MS &&
  allMatches(document, 'script').length > 0 &&
  !/\S/.test(bodyOf(document) ? visibleTextOf(bodyOf(document), 400) : '');

function describePicture(el) {
  const { width, height } = boundingBoxOf(el);
  return `${el.tagName.toLowerCase()}${hintOf(el, '')} ${Math.round(width)}x${Math.round(height)}`;
}

// All that shows a picture, in shadow trees, too.
const picturesIn = (root) => [
  ...allMatches(root, 'canvas, svg, img, video, object, embed'),
  ...[...allMatches(root, '*')]
    .map(shadowRootOf)
    .filter((tree) => tree !== null)
    .flatMap(picturesIn),
];

function emptyReason(onlyRefs) {
  if (readyStateOf(document) !== 'complete') return 'the page is still loading';
  const body = bodyOf(document);
  const count = body ? body.getElementsByTagName('*').length : 0;
  if (count === 0 && !/\S/.test(body ? textContentOf(body) : '')) return 'the page is blank';
  const [front] = layersOf(focusedElement());
  if (
    front &&
    [...allMatches(document, INTERACTIVE_SELECTOR)].some(
      (el) => !nodeContains(front, el) && visibleBoxOf(el),
    )
  )
    return `all of the page is behind ${layerLine(front)}`;
  if (pendingFrames.length)
    return onlyRefs
      ? 'a frame of another origin, and no element in it can be acted on'
      : 'a frame of another origin, and it shows nothing';
  if (onlyRefs && /\S/.test(visibleTextOf(body, 400)))
    return 'no element of the page can be acted on, it has words only';
  const drawn = picturesIn(document).filter(visibleBoxOf);
  if (drawn.length) return `only pictures: ${drawn.slice(0, 3).map(describePicture).join(', ')}`;
  return `none of the page's ${count} elements shows words or a control`;
}

// Whether a person sees these words anywhere in the document and in the frames that can be looked into.
function showsText(words) {
  const wanted = normalizeText(words);
  const within = (inner) =>
    inner &&
    bodyOf(inner) &&
    (squeeze(visibleTextOf(bodyOf(inner), MAX_SHOWN))
      .toLowerCase()
      .includes(wanted) ||
      [...allMatches(inner, 'iframe, frame')].some((frame) => within(innerDocument(frame))));
  return Boolean(within(document));
}

Object.assign(globalThis.openchrome, {
  showsText: (words) => runReader(() => showsText(words), { next: 0 }).result,
  describeLayers: (options) =>
    runReader(() => describeLayers({ ...options, isNews: () => false }), options),
});
