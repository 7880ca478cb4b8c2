// Controls that are no native select: a combobox, a listbox, a button with a list, and their options.

const OPTION_SELECTOR =
  '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem]';
const LOADING_MS = 1000; // a list that has not changed for so long is all there is
const EMPTY_MS = 2000; // and one that has nothing in it
const CLOSING_MS = 1000;
const SHOWING_MS = 1000; // within which a control shows what was chosen
const MAX_LABEL_WORDS = 10000; // characters
const MAX_AROUND = 5; // elements around a control that show what was chosen
const BLUR_FRAMES = 3;
const MAX_OVER = 3; // of a control, one over the other
const MAX_OFFER = 40; // characters of an offer to add a text, besides that text
const MODAL_SELECTOR = 'dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [popover]';
const ADDING_WORDS = /\b(?:add|create|new)\b/i;
let presentBeforeOpening = null; // what was on the page before the list opened
let openedControl = null; // and whose list that is
let foundOption = null;
let optionTexts = []; // the words of those that were there when one was found
const optionsChosen = new Map(); // the words of the option that was found for a value
let textOnLeaving = ''; // what a field held when it was left

const visibleText = (el) =>
  squeeze(el.getAttribute('aria-label') || el.innerText || textContentOf(el) || '');

// custom: opens a list, or is one; combo: a field with a list of suggestions.
function listKind(control) {
  const role = roleOf(control);
  if (role === 'listbox') return 'custom';
  if (control.tagName === 'INPUT') {
    const suggests =
      role === 'combobox' ||
      (/^(list|both)$/.test(control.getAttribute('aria-autocomplete')) &&
        control.closest('[role=combobox]'));
    const typeless =
      control.readOnly ||
      control.getAttribute('aria-readonly') === 'true' ||
      control.inputMode === 'none';
    if (!suggests && typeless && control.getAttribute('aria-haspopup') === 'listbox')
      return 'custom';
    if (!suggests || control.list) return '';
    return typeless ? 'custom' : 'combo';
  }
  if (role === 'combobox') return control.isContentEditable ? 'combo' : 'custom';
  return control.getAttribute('aria-haspopup') === 'listbox' ? 'custom' : '';
}

function visibleMatches(el, selector) {
  const documents = new Set([document, documentOf(el)]);
  const found = [];
  for (const scope of documents) found.push(...allMatches(scope, selector));
  for (let root = rootNodeOf(el); hostOf(root); root = rootNodeOf(hostOf(root)))
    found.push(...allMatches(root, selector));
  return found.filter(visibleBoxOf);
}

function popupsOf(el) {
  const ids = ['aria-controls', 'aria-owns']
    .flatMap((name) => (el.getAttribute(name) || '').split(/\s+/))
    .filter(Boolean);
  const root = rootNodeOf(el);
  return ids.map((id) => byId(root, id) || byId(documentOf(el), id)).filter(Boolean);
}

// The options that belong to the control: in its list, or else those that came when it was opened.
function choicesOf(el) {
  const scopes = roleOf(el) === 'listbox' ? [el] : popupsOf(el);
  const own = scopes
    .flatMap((scope) => [...allMatches(scope, OPTION_SELECTOR)])
    .filter(visibleBoxOf);
  if (own.length || roleOf(el) === 'listbox' || !hasOpened(el)) return own;
  const came = visibleMatches(el, OPTION_SELECTOR).filter(
    (one) => !presentBeforeOpening?.has(one) && !one.closest('select'),
  );
  return came.length || openedControl !== offeredLists.by ? came : offeredItems();
}

// Whether a control, or one that has been drawn anew since, was the last to open its list: what came then is its own.
const hasOpened = (control) =>
  openedControl !== null && (openedControl === control || !openedControl.isConnected);

// A list without roles: what came since the control was opened and says just that.
function plainOption(el, want) {
  const like = visibleMatches(el, 'li, div, span, a, button, td').filter(
    (one) =>
      !presentBeforeOpening?.has(one) &&
      !nodeContains(el, one) &&
      normalizeText(visibleText(one)) === want,
  );
  return like[like.length - 1] || null;
}

function choiceFor(el, options, want) {
  return (
    options.find((one) => normalizeText(visibleText(one)) === want) ||
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
    )
  );
}

// Whether a text field is the search of a list that nothing tells of but the names of its boxes: many of them
// take what is typed only once a click has opened them.
const LIST_CLASS = /(?:^|[-_\s])(?:select|cascader|combobox|autocomplete)(?:$|[-_\s])/i;
const MAX_BOXES = 3; // around such a field

function opensByClick(control, role) {
  if (role !== 'textbox' || control.tagName !== 'INPUT' || control.type !== 'text') return false;
  let at = composedParentOf(control);
  for (let boxes = 0; at && boxes < MAX_BOXES; boxes++, at = composedParentOf(at)) {
    if (LIST_CLASS.test(getAttributeOf(at, 'class') ?? '')) return true;
  }
  return false;
}

// Leaves such a field: a click on it would close what is open.
function blurOpened(el) {
  const control = controlOf(el);
  if (focusedElement() === control) control.blur();
}

// The one text field in a combobox that is no field itself, as ARIA 1.1 has it. A field for a search is
// a part of such a list, and not where its value stands.
function fieldInside(control) {
  if (roleOf(control) !== 'combobox' || /^(?:INPUT|TEXTAREA|SELECT)$/.test(tagOf(control)))
    return null;
  const fields = [...allMatches(control, 'input')].filter(
    (one) => one.type === 'text' && !one.readOnly && !one.disabled && visibleBoxOf(one),
  );
  return fields.length === 1 ? fields[0] : null;
}

function findFieldInside(el) {
  foundOption = fieldInside(controlOf(el));
  return foundOption !== null;
}

// What a field offers for a text that is in no list of its own: to add it.
function findAddition(el, value) {
  const want = normalizeText(value);
  foundOption =
    visibleMatches(controlOf(el), `${OPTION_SELECTOR}, li, div, span, a, button, td`)
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

// Before the control is opened: whether it shows its list already. notes: remember what is there, unless it does.
function listState(el, notes) {
  const control = controlOf(el);
  const open =
    roleOf(control) === 'listbox' ||
    (control.closest('[role=combobox]') || control).getAttribute('aria-expanded') === 'true';
  if (!notes) return { open };
  if (!open)
    presentBeforeOpening = new WeakSet(
      visibleMatches(control, `${OPTION_SELECTOR}, li, div, span, a, button, td`),
    );
  else if (openedControl !== control) presentBeforeOpening = null;
  openedControl = control;
  return { open };
}

// Whether several options can be chosen, as the control, its list or the element that it is part of says.
function takesSeveral(el) {
  const control = controlOf(el);
  const lists = [
    control,
    ...popupsOf(control),
    ...choicesOf(control)
      .slice(0, 1)
      .map((one) => one.closest('[role=listbox]')),
  ];
  if ([...lists, ...ownBoxes(control)].some((one) => one && isOfSeveral(one))) return true;
  return (
    hostOf(rootNodeOf(control))?.hasAttribute('multiple') === true ||
    choicesOf(control)
      .slice(0, 1)
      .some((one) => one.querySelector('input[type=checkbox]'))
  );
}

// What holds a control and what lies over it, such as the options that were chosen before, or shows it in its stead;
// the control itself, if nothing does, and null under something else.
function openerAround(control) {
  const box = isPresent(control) ? visibleBoxOf(control) : null;
  // One that is there for the keyboard alone: scaled to nothing, and moved out of the way.
  if (box && Math.max(box.width, box.height) <= 1) return parentElementOf(control);
  let top =
    box && topElementAt(control.ownerDocument, box.x + box.width / 2, box.y + box.height / 2);
  if (!top || isPartOfTarget(top, control)) return control;
  for (let steps = 0; top && !nodeContains(top, control) && steps < MAX_OVER; steps++)
    top = parentElementOf(top);
  return top && nodeContains(top, control) && !PAGE_TAGS.has(tagOf(top)) ? top : null;
}

// Finds what a click that opens a list has to go to, if it is not the control: other lists may have to close first.
async function findOpener(el) {
  const control = controlOf(el);
  const stop = performance.now() + CLOSING_MS;
  do foundOption = besideTokens(openerAround(control), control);
  while (
    !foundOption &&
    areScriptsEnabled() &&
    performance.now() < stop &&
    (await nextFrame()) !== null
  );
  return foundOption !== null && foundOption !== control;
}

// The texts around a control, but for those of its list and of native lists.
function textsAround(at, control, list) {
  const walker = walkerIn(
    documentOf(at),
    at,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      nodeTypeOf(node) === 1 &&
      (node === list || node === control || tagOf(node) === 'SELECT' || !node.checkVisibility())
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  let words = '';
  while (words.length < MAX_LABEL_WORDS && walker.nextNode())
    if (nodeTypeOf(walker.currentNode) === 3) words += ` ${walker.currentNode.data}`;
  return normalizeText(words);
}

// Whether it is or has another field than the control; what is out of the keyboard's reach is kept for the form.
const hasOtherField = (at, control) =>
  [at, ...allMatches(at, 'input, textarea, [role=combobox]')].some(
    (one) =>
      !nodeContains(control, one) &&
      !nodeContains(one, control) &&
      (/^(?:INPUT|TEXTAREA)$/.test(tagOf(one)) || getAttributeOf(one, 'role') === 'combobox') &&
      one.tabIndex >= 0 &&
      one.checkVisibility(),
  );

// What shows before and after an element, each as far as to the next field.
function visibleNeighboursOf(el, control) {
  const near = [];
  for (const step of [previousElementSiblingOf, nextElementSiblingOf]) {
    for (let at = step(el); at && !hasOtherField(at, control); at = step(at))
      if (at.checkVisibility()) near.push(at);
  }
  return near;
}

// What is missing of options that were to be chosen, in what a control shows.
function missingChoices(el, values) {
  const control = controlOf(el);
  const list = foundOption && (foundOption.closest('[role=listbox]') || foundOption.parentElement);
  let missing = values; // what is typed into the control itself is not chosen yet
  let inner = control;
  for (
    let at = composedParentOf(control), steps = 1;
    at && missing.length && steps < MAX_AROUND;
    at = composedParentOf(at), steps++
  ) {
    const shared = hasOtherField(at, control);
    const words = (shared ? visibleNeighboursOf(inner, control) : [at])
      .map((one) => textsAround(one, control, list))
      .join(' ');
    missing = missing.filter((value) => !words.includes(normalizeText(value)));
    if (shared) break;
    inner = at;
  }
  return missing;
}

// Whether a field keeps what was typed once it is left: one that only takes what it offers does not, one to search
// by does, and is not left. `open`: its list stays, as those do that close for a key alone. key: the one by which it was to be left. `modal`: Escape may
// close more than the list.
async function keepsText(el, key) {
  const control = controlOf(el);
  const read = () => squeeze(control.value ?? textContentOf(control));
  if (isSearchField(control) || offersLinks(control))
    return { kept: true, open: false, modal: false };
  if (!key) {
    textOnLeaving = read();
    control.blur();
  }
  for (let frames = 0; frames < BLUR_FRAMES && areScriptsEnabled(); frames++) await nextFrame();
  const answer = {
    kept: read() === textOnLeaving,
    open: isListOpen(control),
    modal: closestMatch(control, MODAL_SELECTOR) !== null,
  };
  control.focus({ preventScroll: true });
  return answer;
}

const isListOpen = (control) =>
  choicesOf(control).length > 0 ||
  (openedControl === offeredLists.by && floatingListsBeside(control).length > 0);

// Whether the list of a control stays open once its last option was chosen, and how it can be closed. leave: leave it.
async function listStaysOpen(el, leave) {
  const control = controlOf(el);
  const isOpen = () => control.getAttribute('aria-expanded') === 'true' || isListOpen(control);
  if (leave) control.blur();
  for (let frames = 0; frames < BLUR_FRAMES && areScriptsEnabled() && isOpen(); frames++)
    await nextFrame();
  return {
    open: isOpen(),
    byKey:
      isPartOfTarget(focusedElement(), control) && closestMatch(control, MODAL_SELECTOR) === null,
  };
}

const isSelected = (one) =>
  one.getAttribute('aria-selected') === 'true' || one.getAttribute('aria-checked') === 'true';

// Whether the option that was clicked shows that it is not chosen any more.
async function wasDeselected() {
  const isLeft = () => Boolean(foundOption?.isConnected && !isSelected(foundOption));
  if (isLeft() || !areScriptsEnabled()) return isLeft();
  await nextFrame();
  await nextFrame();
  return isLeft();
}

// Finds an option that is chosen, but not among these; some lists mark the one under the cursor as they mark those.
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

// What a field offers now, once it offers something.
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

// Scrolls to the options that come next; at the end, to those before the place where the search has begun.
function scrollToMore(box, scrolling) {
  if (!box) return false;
  if (scrolling.begun < 0) scrolling.begun = box.scrollTop;
  const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
  if (isAtEnd && scrolling.begun <= 0) return false;
  if (isAtEnd) scrolling.begun = box.scrollTop = 0;
  else box.scrollTop += Math.max(box.clientHeight * 0.8, 20);
  return true;
}

// An option may be a part of an element of the page's own kind, which alone says that it is disabled.
function hostDisabledReason(option) {
  for (let at = option; at && !LIST_ROLE.test(roleOf(at)); at = composedParentOf(at)) {
    if (tagOf(at).includes('-') && at.hasAttribute('disabled'))
      return `<${tagOf(at).toLowerCase()}> is disabled`;
  }
  return '';
}
const LIST_ROLE = /^(?:listbox|combobox|menu|tree|grid|dialog|form|main)$/;

// What a control shows in place of the option that was clicked: another one; or, with its list still open, what it
// showed before. '' if it takes it. One that shows nothing of what is chosen is believed.
async function textShownInstead(el, values, before) {
  const control = controlOf(el);
  const wanted = [
    ...values.map(normalizeText),
    foundOption ? normalizeText(visibleText(foundOption)) : '',
  ].filter(Boolean);
  const stop = performance.now() + SHOWING_MS;
  for (;;) {
    const state = control.isConnected ? stateOf(control) : '';
    const shown = typeof state === 'string' ? normalizeText(state) : '';
    const fits =
      shown === '' || wanted.some((words) => shown.includes(words) || words.includes(shown));
    const isOpen =
      foundOption?.isConnected && visibleBoxOf(foundOption) && !isSelected(foundOption);
    if (fits || !(optionTexts.includes(shown) || (isOpen && state === before))) return '';
    if (performance.now() >= stop || !areScriptsEnabled()) return state;
    await nextFrame();
  }
}

// Waits for the option: lists are fetched, filtered and filled while one scrolls.
async function waitForOption(el, value, budget) {
  const control = controlOf(el);
  const want = normalizeText(value);
  const stop = performance.now() + budget;
  const seen = new Map();
  let last = performance.now();
  let before = '';
  const scrolling = { begun: -1 };
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
    if (scrollToMore(scrollerOf(options), scrolling)) last = performance.now();
    const complete =
      !disabled && performance.now() - last > (options.length > 0 ? LOADING_MS : EMPTY_MS);
    if (late || complete)
      return {
        why: seen.size ? 'option_not_found' : 'no_options',
        text: value,
        options: [...seen.keys()].slice(0, 50),
        total: seen.size,
      };
    await nextFrame();
  }
}

Object.assign(globalThis.openchrome, {
  listState,
  awaitOption: waitForOption,
  takesSeveral,
  missingChoices,
  keepsText,
  listStaysOpen,
  findAddition,
  findChosenBeside,
  findFieldInside,
  findOpener,
  closeOpened: blurOpened,
  listedOptions: waitForOptions,
  textShownInstead,
  wasDeselected,
  foundOption: () => foundOption,
});
