// What the outline asks of single elements: what stands on a line, what is a name of something else, what is left out.

const CONTAINER_ROLES = new Set([
  ...PARTS_OF_BOOKS,
  'graphics-document',
  'graphics-object',
  ...(
    'alert alertdialog application article banner blockquote caption' +
    ' complementary contentinfo dialog directory document feed figure form grid group list listbox' +
    ' listitem log main marquee menu menubar navigation note radiogroup region rowgroup search status' +
    ' table tablist tabpanel term definition timer toolbar tooltip tree treegrid treeitem row cell' +
    ' gridcell columnheader rowheader'
  ).split(' '),
]);
const LEAF_ROLES = new Set(
  (
    'button checkbox link menuitem menuitemcheckbox menuitemradio option radio' +
    ' scrollbar searchbox slider spinbutton switch tab textbox combobox color date time datetime month' +
    ' week file summary img meter progressbar separator video audio canvas'
  ).split(' '),
);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const CELL = /^(?:cell|gridcell|columnheader|rowheader)\b/;
const POINTER_CELL = /^(cell|gridcell|rowheader)(?: \([^()]*\))? \[ref=e(\d+)\]$/;
const TEXT = 0;
const LEAF = 1;
const BOX = 2;
const FRAME = 3;
const PRESERVED = 1; // a line of preformatted text
const CONTROL_ITEM = 2; // an item of a list that is one thing to act on
const WORDS_ITEM = 3; // one of words alone
const MAX_DEPTH = 700; // Chromium's parser stops at 512, scripts may go on
const MAX_SHORT_TEXT = 200;
const MAX_ICON_CHARS = 3; // characters: an icon or an arrow, not words
const SHORT_WORD = /\p{L}{2}|\p{N}/u;
const CAPTIONS = {
  LABEL: (el) => {
    const control = el.control;
    return (
      control &&
      (!hasName(control) || !isControlReachable(control, el) || repeatsName(el, control)) &&
      !isLabelOfAnother(el, control)
    );
  },
  LEGEND: (el) => el.parentElement?.tagName === 'FIELDSET' && !hasName(el.parentElement),
  CAPTION: (el) => el.parentElement?.tagName === 'TABLE' && !hasName(el.parentElement),
  FIGCAPTION: (el) => el.parentElement?.tagName === 'FIGURE' && !hasName(el.parentElement),
};
const BLANK = /^\s*$/;
const ZERO_WIDTH_ONLY = /^[\s\u200b-\u200d\u2060\ufeff]*$/; // signs without a width, by which editors hold a line open
const ROLELESS_WORDS = new Set(['clickable', 'draggable', 'droppable']);
const NAMELESS_DRAGGABLE = /^draggable \[ref=e\d+\]$/;
const DRAGGED_CONTROL =
  /^(?:button|link|option|menuitem|tab|treeitem|img|clickable) "(?:[^"\\]|\\.)*" \[ref=e\d+\]/;
const REF = /\[ref=e\d+\]/;
const CLICKED_ITEM = /^listitem \[ref=e\d+\]$/;
const PRESSED_INSIDE = /^(?:button|link) ["(]/;
const NAMELESS_CLICKABLE = /^clickable(?: \([^()]*\))? \[ref=e(\d+)\]$/;
const CLICKED_WORDS = /^clickable \[ref=e(\d+)\]: /;
const MIN_DRAWN = 16; // px
const MAX_ICON = 64; // px
const CHILDLESS_DROPPED = new Set([
  'toolbar',
  'menubar',
  'tablist',
  'tabpanel',
  'region',
  'navigation',
  'complementary',
  'group',
]); // nothing to see without contents
const ARIA_HIDDEN_MARK = '[aria-hidden]';
const NAME_IN_LINE = /^[a-z]+ "((?:[^"\\]|\\.)*)"/;
const ABBREVIATION = /^\p{L}{3,}$/u;
const HELD_FIELD = /^(?:combobox|textbox|searchbox)( "(?:[^"\\]|\\.)*")?/;
const TYPED_LINE = /^(?:textbox|searchbox|combobox)\b/;
const DRAWN_WHOLE = new Set([...TICK_ROLES, 'slider']); // the box around one is a part of it: its track
const WRAPPING_ITEM = /^(?:menuitem|treeitem|tab)$/; // around the control that is pressed in it, on many pages
const ITEM_LINE = /^((?:menuitem|treeitem|tab) ("(?:[^"\\]|\\.)*")) \[ref=e\d+\]((?: [a-z]+)*)/;
const PRESSED_LINE = /^(?:button|link) ("(?:[^"\\]|\\.)*") (\[ref=e\d+\])((?: [a-z]+)*)/;
// What is pressed in an item: a control, or words that show the hand; as PRESSED_LINE tells it.
function pressedIn(line) {
  const control = PRESSED_LINE.exec(line);
  const [words, number, text] = control === null ? (CLICKED_TEXT.exec(line) ?? []) : [];
  return words && hasOnlyPointerCursor(elementOf(Number(number)))
    ? [words, quote(text), `[ref=e${number}]`, '']
    : control;
}
const CLICKED_TEXT = /^clickable \[ref=e(\d+)\]: (.*)$/;
const STATES_ALONE = /^(?: [a-z]+)+$/;
const GROUP_OF_FIELDS = /^(?:group|radiogroup)\b/;
const isPixelThin = (el) => boundingBoxOf(el).width <= 1 || boundingBoxOf(el).height <= 1; // for the keyboard alone
const INTERACTIVE_SELECTOR = 'a, button, input, select, textarea, [role], [tabindex], [onclick]';

// Whether content that assistive software is not told of says something to those who see it.
function isVisibleButHidden(el, view) {
  if (CONTROL_TAGS.has(el.tagName)) return !isInvisible(el, view.style);
  if (
    !/[\p{L}\p{N}]/u.test(visibleTextOf(el, MAX_SHORT_TEXT)) &&
    !el.querySelector('button, input:not([type=hidden]), select, textarea')
  )
    return false;
  return !isCutAway(el);
}

// Whether boxes around leave nothing of an element: a slide that waits beside the one that shows.
function isCutAway(el) {
  const box = el.getBoundingClientRect();
  for (let at = parentElementOf(el); at && !PAGE_TAGS.has(at.tagName); at = parentElementOf(at)) {
    if (!/hidden|clip/.test(getComputedStyle(at).overflowX)) continue;
    const { left, right, top, bottom } = boundingBoxOf(at);
    if (
      box.right <= left + 1 ||
      box.left >= right - 1 ||
      box.bottom <= top + 1 ||
      box.top >= bottom - 1
    )
      return true;
  }
  return false;
}

// Whether a label says what its control is named by itself.
const repeatsName = (label, control) =>
  trimLabel(textContentOf(label)) === trimLabel(nameOf(control, roleOf(control)));

// Whether what takes the focus is but a stop on the keyboard's way: empty, without a size, nothing drawn.
const isFocusGuard = (el) =>
  firstChildOf(el) === null &&
  (boundingBoxOf(el).width === 0 || boundingBoxOf(el).height === 0) &&
  ['::before', '::after'].every((part) => getComputedStyle(el, part).content === 'none');

const TOLD_INSIDE = `${INTERACTIVE_SELECTOR}, img, canvas, video, iframe, [aria-label], [title], title`;
const MIN_TIPPED = 4; // px

// Whether nothing but the pointer's tip says what a thing without words is.
function hasOnlyTooltip(el, view) {
  if (!isFilled(el, 'title') || !view.visible || !BLANK.test(textContentOf(el))) return false;
  if (firstElementChildOf(el) !== null && el.querySelector(TOLD_INSIDE) !== null) return false;
  if (holdsControl(el)) return false;
  const { width, height } = boundingBoxOf(el);
  return width >= MIN_TIPPED && height >= MIN_TIPPED;
}

const CONTROL_INSIDE = 'a, button, input, select, textarea, [tabindex]';

// Whether there is a control in the shadow tree of an element, or in one below.
function holdsControl(el) {
  const inner = shadowRootOf(el);
  if (inner !== null && inner.querySelector(CONTROL_INSIDE) !== null) return true;
  return [inner, el].some(
    (at) =>
      at !== null && [...at.children].some((kid) => tagOf(kid).includes('-') && holdsControl(kid)),
  );
}

// Whether a link has nothing but an address that says what it is, does or is called.
function isPlainlyLinked(el) {
  let linked = false;
  for (const name of el.getAttributeNames()) {
    if (name === 'role' || name === 'title' || name.startsWith('aria-')) return false;
    linked ||= name === 'href';
  }
  return linked;
}

// Whether a label's control gets a line of its own.
function isControlReachable(control, label) {
  if (
    !control.checkVisibility({ visibilityProperty: true }) ||
    control.closest('[aria-hidden="true"]') ||
    (!CONTROL_TAGS.has(control.tagName) && isInvisible(control, getComputedStyle(control)))
  )
    return false;
  for (
    let at = parentElementOf(control);
    at && at !== label && !nodeContains(at, label);
    at = parentElementOf(at)
  ) {
    if (isInvisible(at, getComputedStyle(at))) return false;
  }
  return true;
}

// Whether something that is drawn in the place of a label's own control says that the label is its name.
const hasStandIn = (label, control) =>
  isStoodInFor(control) ||
  (label.id !== '' &&
    [...allMatches(rootNodeOf(label), `[aria-labelledby~="${CSS.escape(label.id)}"]`)].some(
      (one) => one !== control && WIDGETS.has(roleOf(one)) && checkVisibilityOf(one),
    ));

// Whether a cell of a grid shows a picture and nothing else: grids are there to act in, and handle the
// clicks on all of their cells themselves.
const isPictureCell = (el) =>
  firstElementChildOf(el) !== null &&
  BLANK.test(textContentOf(el)) &&
  el.querySelector('svg, img, i') !== null &&
  el.querySelector(INTERACTIVE_SELECTOR) === null;

const hasButtonsInLabels = oncePerTurn(
  (doc) => firstMatch(doc, 'label button, label [role=button]') !== null,
);

// Whether a button is the picture of a box to tick, in whose label it stands: the box is told, and ticked
// by it.
function drawsBoxOfLabel(el) {
  if (!hasButtonsInLabels(documentOf(el))) return false;
  const label = closestMatch(el, 'label');
  const box = label === null ? null : label.control;
  if (box === null || box === el || !TICK_ROLES.has(roleOf(box))) return false;
  const isUnseen = isPixelThin(box) || getComputedStyle(box).opacity === '0';
  return (
    isUnseen &&
    isControlReachable(box, label) &&
    nameOf(box, roleOf(box)).includes(nameOf(el, 'button'))
  );
}

const CLOSABLE = /^(?:tab|option|treeitem)$/;
const CLOSER = /(?:close|remove|delete|dismiss)(?!d)/i; // in a class
const MIN_CLOSER = 8; // px

// Whether an icon in a tab, or in a chip of a list, takes that away: what is pressed there does not do what a press on
// the rest does.
function isCloserIn(control, el) {
  if (!CLOSABLE.test(getAttributeOf(control, 'role') ?? '')) return false;
  if (!CLOSER.test(getAttributeOf(el, 'class') ?? '') || SHORT_WORD.test(textContentOf(el)))
    return false;
  const { width, height } = boundingBoxOf(el);
  return [width, height].every((side) => side >= MIN_CLOSER && side <= MAX_ICON);
}

// Whether what can be dragged is clicked by the one thing in it, and dragged by it, too.
function isDraggedBy(line, inner) {
  if (!NAMELESS_DRAGGABLE.test(line)) return false;
  if (DRAGGED_CONTROL.test(inner)) return true;
  const [, number] = CLICKED_WORDS.exec(inner) ?? [];
  return number !== undefined && hasOnlyPointerCursor(elementOf(Number(number)));
}

const MIN_FILLED = 0.5; // of a box, by what is then the same to click

// Whether most of a box is the one thing in it, which is told without a name.
function isFilledBy(el, inner) {
  const [, number] = NAMELESS_CLICKABLE.exec(inner) ?? [];
  if (number === undefined) return false;
  const areaOf = (one) => boundingBoxOf(one).width * boundingBoxOf(one).height;
  return areaOf(elementOf(Number(number))) >= MIN_FILLED * areaOf(el);
}

// The line of the one thing in what can be dragged: it says both.
const draggableLine = (inner) =>
  CLICKED_WORDS.test(inner)
    ? inner.replace('clickable', 'draggable')
    : inner.replace(REF, '$& draggable');

// Whether nothing but a click on it, or on what is in it, acts on an element.
const hasOnlyClicks = (el) =>
  !el.hasAttribute('tabindex') &&
  (implicitActionsIn(documentOf(el)).get(el) ?? 'clickable') === 'clickable';

// Fields without a name go by what they are called in the page's own terms; what has words below
// or beside it needs no hint.
const hintIfWordless = (el, role) =>
  LEAF_ROLES.has(role) ||
  (BLANK.test(textContentOf(el)) &&
    (ROLELESS_WORDS.has(role) || el.querySelector(INTERACTIVE_SELECTOR) === null))
    ? hintOf(el, role)
    : '';

// A frame that stands for an address and has no document yet: it is slow, or loaded once it is near.
const awaitsDocument = (el, inner) => urlOf(inner) === 'about:blank' && /^https?:/.test(el.src);

const DIALOGS = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
const shownDialogs = oncePerTurn((doc) =>
  [...allMatches(doc, DIALOGS)].filter(
    (one) =>
      !clobbered(one) && one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
  ),
);

// What has the focus in a document, in shadow trees, too.
function deepActiveElement(doc) {
  let at = activeElementOf(doc);
  while (at && shadowRootOf(at) && activeElementOf(shadowRootOf(at)))
    at = activeElementOf(shadowRootOf(at));
  return at;
}

// The view of what surrounds an element, however it is hidden itself.
function viewOfParent(el) {
  const parent = shownParentOf(el);
  if (!parent) return null;
  const style = getComputedStyle(parent);
  return new ElementView(parent, viewOfParent(parent), style, style.display);
}

// Whether an element may have another name than its words.
const hasExplicitName = (el) =>
  (el.hasAttributes() && hasName(el)) || (el.tagName === 'BUTTON' && labelsOf(el).length > 0);

// Whether a name that was given hides words that people see.
const hidesWords = (el, name) => hasExplicitName(el) && showsMoreThan(el, name);

function showsMoreThan(el, name, walk = new NameComputation(el)) {
  walk.skipsIcons = true;
  const words = squeeze(nameFromContent(el, walk));
  return (
    (words.length > MAX_ICON_CHARS || SHORT_WORD.test(words)) &&
    !name.toLowerCase().includes(words.toLowerCase())
  );
}

function anyReadable(el, view) {
  for (const kid of composedChildrenOf(el)) {
    if (nodeTypeOf(kid) === Node.TEXT_NODE && kid.data.trim() && view.readable) return true;
    if (nodeTypeOf(kid) === Node.ELEMENT_NODE) {
      const inner = viewInside(kid, view);
      if (inner && (kid.tagName === 'IMG' || anyReadable(kid, inner))) return true;
    }
  }
  return false;
}

// Whether an open dialog stands before an element of the page.
function isBehindDialog(el) {
  return shownDialogs(documentOf(el)).some(
    (one) => !nodeContains(el, one) && !nodeContains(one, el),
  );
}

function startsPointerCursor(el, view) {
  return !view.above?.pointer && el.tagName !== 'LABEL' && el.tagName !== 'BODY';
}
