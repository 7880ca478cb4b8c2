// The options of a list that a control opens, or is: finding them, waiting for them, scrolling to them.

const OPTION_SELECTOR =
  '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem]';
const optionSelector = () => [OPTION_SELECTOR, ...optionTags()].join();
const MAX_OPTION_TEXT = 200; // characters
const LOADING_MS = 1000; // a list that has not changed for so long is complete
const EMPTY_MS = 2000; // and an empty one
const MAX_OFFER = 40; // characters of an offer to add a text, besides that text
const ADDING_WORDS = /\b(?:add|create|new)\b/i;
let presentBeforeOpening = null; // what was on the page before the list opened
let openedControl = null; // and the control whose list that is
let foundOption = null;
let optionTexts = []; // of the options that were there when one was found
const optionsChosen = new Map(); // the text of the option that was found for a value

// The words of what a slot holds stand elsewhere.
const visibleText = (el) =>
  squeeze(el.getAttribute('aria-label') || el.innerText || textContentOf(el) || '') ||
  squeeze(visibleTextOf(el, MAX_OPTION_TEXT));

function visibleMatches(el, selector) {
  const documents = new Set([document, documentOf(el)]);
  const found = [];
  for (const scope of documents) found.push(...allMatches(scope, selector));
  for (let root = rootNodeOf(el); hostOf(root); root = rootNodeOf(hostOf(root)))
    found.push(...allMatches(root, selector));
  return found.filter(visibleBoxOf);
}

// The options of a custom element each of whose items has a shadow tree of its own.
function optionsOfItems(control) {
  const host = outermostHost(control);
  if (host === control) return [];
  return [...allMatches(host, '*')]
    .map(shadowRootOf)
    .flatMap((root) => (root === null ? [] : [...allMatches(root, optionSelector())]))
    .filter(visibleBoxOf);
}

function popupsOf(el) {
  const ids = ['aria-controls', 'aria-owns']
    .flatMap((name) => (el.getAttribute(name) || '').split(/\s+/))
    .filter(Boolean);
  const root = rootNodeOf(el);
  return ids.map((id) => byId(root, id) || byId(documentOf(el), id)).filter(Boolean);
}

// The options of a control: those in its list, else those that appeared when it was opened.
function choicesOf(el) {
  const scopes = roleOf(el) === 'listbox' ? [el] : popupsOf(el);
  const own = scopes
    .flatMap((scope) => [...allMatches(scope, optionSelector())])
    .filter(visibleBoxOf);
  if (own.length || roleOf(el) === 'listbox' || !hasOpened(el)) return own;
  const came = [...visibleMatches(el, optionSelector()), ...optionsOfItems(el)].filter(
    (one) => !presentBeforeOpening?.has(one) && !one.closest('select'),
  );
  return came.length || openedControl !== offeredLists.by ? came : offeredItems();
}

// Whether a control, perhaps redrawn since, was the last to open its list: what appeared then is its own.
const hasOpened = (control) =>
  openedControl !== null && (openedControl === control || !openedControl.isConnected);

// The option of a list without roles: what appeared since the control was opened and has exactly this text.
function plainOption(el, want) {
  const like = visibleMatches(el, 'li, div, span, a, button, td').filter(
    (one) =>
      !presentBeforeOpening?.has(one) &&
      !nodeContains(el, one) &&
      normalizeText(visibleText(one)) === want &&
      !isShownInField(one, el),
  );
  return like[like.length - 1] || null;
}

// Whether words stand in the line of a text field: what it holds, drawn beside its input.
function isShownInField(el, control) {
  if (tagOf(control) !== 'INPUT') return false;
  const [words, field] = [el, control].map((one) => boundingBoxOf(one));
  const middle = (words.top + words.bottom) / 2;
  return middle >= field.top && middle <= field.bottom && words.height <= field.height * 2;
}

function choiceFor(el, options, want) {
  return (
    options.find((one) => normalizeText(visibleText(one)) === want) ||
    options.find((one) => normalizeText(visibleTextOf(one, MAX_OPTION_TEXT)) === want) ||
    options.find(
      (one) =>
        normalizeText(one.getAttribute('data-value') || one.getAttribute('value') || '') === want,
    ) ||
    plainOption(el, want) ||
    options.find(
      (one) =>
        normalizeText(visibleText(one))
          .split(/[\n·|–—(]/)[0]
          .trim() === want,
    ) ||
    withoutAccents(options, want)
  );
}

// The one option that differs by its accents alone.
function withoutAccents(options, want) {
  const folded = foldLetters(want);
  const [option, another] = options.filter(
    (one) => foldLetters(normalizeText(visibleText(one))) === folded,
  );
  return another ? undefined : option;
}

// Finds the offer to add a text that is not among the options.
function findAddition(el, value) {
  const want = normalizeText(value);
  foundOption =
    visibleMatches(controlOf(el), `${optionSelector()}, li, div, span, a, button, td`)
      .filter((one) => {
        const text = normalizeText(visibleText(one));
        return (
          text.includes(want) &&
          text.length < want.length + MAX_OFFER &&
          ADDING_WORDS.test(`${text.replace(want, '')} ${one.getAttribute('class')}`) &&
          !presentBeforeOpening?.has(one) &&
          !nodeContains(one, el)
        );
      })
      .pop() || null;
  return foundOption !== null;
}

const isSelected = (one) => ['selected', 'checked'].some((state) => ariaOf(one, state) === 'true');

// Whether the option that was clicked shows that it is not chosen any more.
async function wasDeselected() {
  const isLeft = () => Boolean(foundOption?.isConnected && !isSelected(foundOption));
  if (isLeft() || !areScriptsEnabled()) return isLeft();
  await nextFrame();
  await nextFrame();
  return isLeft();
}

// Finds a chosen option that is not among these values; some lists mark the one under the cursor in the same way.
function findChosenBeside(el, values) {
  const control = controlOf(el);
  const { others } = compareChosen(el, values);
  const wanted = isAmong(values);
  const isOther = others.length ? isAmong(others) : () => true;
  foundOption =
    choicesOf(control)
      .filter(isSelected)
      .find((one) => !wanted(valueOfOption(one)) && isOther(valueOfOption(one))) || null;
  return foundOption !== null;
}

// The texts of the options that a field offers, once it offers any.
async function waitForOptions(el, budget) {
  const stop = performance.now() + budget;
  for (;;) {
    const options = choicesOf(controlOf(el));
    if (options.length || performance.now() >= stop || !areScriptsEnabled())
      return options.map(visibleText);
    await nextFrame();
  }
}

function scrollerOf(options) {
  for (
    let at = options[0] && composedParentOf(options[0]);
    at && at.tagName !== 'BODY';
    at = composedParentOf(at)
  ) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY))
      return at;
  }
  return null;
}

// Scrolls to the next options; at the end, to those before the position where the search began.
function scrollToMore(box, scrolling) {
  if (!box) return false;
  if (scrolling.begun < 0) scrolling.begun = box.scrollTop;
  const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
  if (isAtEnd && scrolling.begun <= 0) return false;
  if (isAtEnd) scrolling.begun = box.scrollTop = 0;
  else box.scrollTop += Math.max(box.clientHeight * 0.8, 20);
  return true;
}

const SCROLLED_MS = 1000; // for a frame after scrolling, on a page that is drawn

// Waits until a list has drawn what it was scrolled to: it hears of that in the next frame, and may draw in the one after
// it. To scroll on before would pass over the options between.
async function drawnAfterScrolling() {
  const most = visibilityIn(document) === 'visible' ? SCROLLED_MS : undefined;
  await nextFrame(most);
  await nextFrame(most);
}

// By the box that scrolls: where it stood when it showed the option of a text.
const placesSeen = new WeakMap();

function notePlaces(box, options) {
  const places = placesSeen.get(box) ?? new Map();
  for (const one of options) places.set(normalizeText(visibleText(one)), box.scrollTop);
  placesSeen.set(box, places);
}

// Scrolls to where an option was seen before; false if it was not, or if the list stands there.
function scrollToSeen(box, want) {
  const place = box && placesSeen.get(box)?.get(want);
  if (place === undefined || place === null || place === box.scrollTop) return false;
  box.scrollTop = place;
  return true;
}

const LIST_ROLE = /^(?:listbox|combobox|menu|tree|grid|dialog|form|main)$/;

// An option may be part of a custom element, and only that says that it is disabled.
function hostDisabledReason(option) {
  for (let at = option; at && !LIST_ROLE.test(roleOf(at)); at = composedParentOf(at)) {
    if (tagOf(at).includes('-') && at.hasAttribute('disabled'))
      return `<${tagOf(at).toLowerCase()}> is disabled`;
  }
  return '';
}

// Waits for the option with this text: lists are fetched, filtered, and filled while one scrolls.
async function waitForOption(el, value, budget) {
  const control = controlOf(el);
  const want = normalizeText(value);
  const stop = performance.now() + budget;
  const seen = new Map();
  let last = performance.now();
  let before = '';
  const scrolling = { begun: -1 };
  let returned = false;
  for (;;) {
    const options = choicesOf(control);
    foundOption = choiceFor(control, options, want);
    const disabled =
      foundOption && (disabledReason(foundOption, false) || hostDisabledReason(foundOption));
    const late = performance.now() >= stop || !areScriptsEnabled();
    if (disabled === '') {
      optionTexts = options.map((one) => normalizeText(visibleText(one)));
      optionsChosen.set(want, normalizeText(visibleText(foundOption)));
      return { chosen: isSelected(foundOption) };
    }
    if (disabled && late)
      return { why: 'not_enabled', text: `its option ${quote(value)}: ${disabled}` };
    for (const one of options) seen.set(visibleText(one), true);
    const now = [...options].map(visibleText).join('\n');
    if (now !== before) [before, last] = [now, performance.now()];
    const box = scrollerOf(options);
    if (box) notePlaces(box, options);
    const returns = !returned && scrollToSeen(box, want);
    returned ||= returns;
    const scrolled = returns || scrollToMore(box, scrolling);
    if (scrolled) last = performance.now();
    const complete =
      !disabled && performance.now() - last > (options.length > 0 ? LOADING_MS : EMPTY_MS);
    if (late || complete)
      return {
        why: seen.size ? 'option_not_found' : 'no_options',
        text: value,
        options: [...seen.keys()].slice(0, 50),
        total: seen.size,
      };
    await (scrolled ? drawnAfterScrolling() : nextFrame());
  }
}

Object.assign(globalThis.openchrome, {
  awaitOption: waitForOption,
  findAddition,
  findChosenBeside,
  listedOptions: waitForOptions,
  wasDeselected,
  foundOption: () => foundOption,
});
