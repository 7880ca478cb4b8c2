// Controls that are not native selects: comboboxes, listboxes, buttons with a list. How they open and
// what they show of what was chosen.

const CLOSING_MS = 1000;
const SHOWING_MS = 1000; // within which a control shows what was chosen
const MAX_LABEL_WORDS = 10000; // characters
const MAX_AROUND = 5; // elements around a control that show what was chosen
const BLUR_FRAMES = 3;
const MAX_OVER = 3; // of a control, one over the other
const MODAL_SELECTOR = 'dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [popover]';
let textOnLeaving = ''; // what a field held when it was left

// custom: opens a list, or is one; combo: a field with a list of suggestions.
function listKind(control) {
  const role = roleOf(control);
  if (role === 'listbox') return 'custom';
  if (/^(?:INPUT|TEXTAREA)$/.test(control.tagName)) {
    const suggests =
      role === 'combobox' ||
      (/^(list|both)$/.test(control.getAttribute('aria-autocomplete')) &&
        control.closest('[role=combobox]'));
    const typeless =
      control.readOnly ||
      control.getAttribute('aria-readonly') === 'true' ||
      (control.inputMode === 'none' && control.getAttribute('aria-haspopup') !== 'dialog');
    if (!suggests && typeless && control.getAttribute('aria-haspopup') === 'listbox')
      return 'custom';
    if (!suggests && control.readOnly && opensByClick(control, role)) return 'custom';
    if (!suggests || control.list) return '';
    return typeless ? 'custom' : 'combo';
  }
  if (role === 'combobox') return control.isContentEditable ? 'combo' : 'custom';
  return opensListbox(control, role) || opensChoices(control, role) ? 'custom' : '';
}

// Whether a button opens a sheet, a dialog or a menu in which one option is chosen, as the names around it alone say.
const opensChoices = (control, role) =>
  role === 'button' &&
  /^(?:dialog|menu|true)$/.test(control.getAttribute('aria-haspopup') ?? '') &&
  isInListBox(control, (at) => `${tagOf(at).toLowerCase()} ${getAttributeOf(at, 'class') ?? ''}`);

// Whether a text field is the search field of a list that only the class names around it announce: many such fields
// accept typing only after a click has opened them.
const LIST_CLASS = /(?:^|[-_\s])(?:select|cascader|combobox|autocomplete)(?:$|[-_\s])/i;
const MAX_BOXES = 3; // around such a field

function opensByClick(control, role) {
  if (role !== 'textbox' || control.tagName !== 'INPUT' || control.type !== 'text') return false;
  return isInListBox(control, (at) => getAttributeOf(at, 'class') ?? '');
}

function isInListBox(control, namesOf) {
  let at = composedParentOf(control);
  for (let boxes = 0; at && boxes < MAX_BOXES; boxes++, at = composedParentOf(at))
    if (LIST_CLASS.test(namesOf(at))) return true;
  return false;
}

// Leaves such a field, because a click on it would close the open list.
function blurOpened(el) {
  const control = controlOf(el);
  if (focusedElement() === control) control.blur();
}

// The one text field in a combobox that is not a field itself, as in ARIA 1.1. A search field is part of
// such a list, but does not hold its value.
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

// Whether a control already shows its list. notes: it is about to be opened, so remember what is on the page.
function listState(el, notes) {
  const control = controlOf(el);
  const expanded = (control.closest('[role=combobox]') || control).getAttribute('aria-expanded');
  const open =
    roleOf(control) === 'listbox' ||
    (expanded === null ? choicesOf(control).length > 0 : expanded === 'true');
  if (!notes) return { open };
  if (!open)
    presentBeforeOpening = new WeakSet([
      ...visibleMatches(control, `${optionSelector()}, li, div, span, a, button, td`),
      ...optionsOfItems(control),
    ]);
  else if (openedControl !== control) presentBeforeOpening = null;
  openedControl = control;
  return { open };
}

// Whether several options can be chosen, as the control, its list or its host element says.
function takesSeveral(el) {
  const control = controlOf(el);
  const lists = [
    control,
    ...popupsOf(control),
    ...choicesOf(control)
      .slice(0, 1)
      .map((one) => one.closest('[role=listbox]')),
  ];
  const around = popupsOf(control).flatMap((list) => boxesAroundList(list, control));
  if ([...lists, ...around, ...ownBoxes(control)].some((one) => one && isOfSeveral(one)))
    return true;
  return (
    hostOf(rootNodeOf(control))?.hasAttribute('multiple') === true ||
    choicesOf(control)
      .slice(0, 1)
      .some(
        (one) =>
          one.matches('[role=menuitemcheckbox]') || one.querySelector('input[type=checkbox]'),
      )
  );
}

// What a list that floats above the page stands in.
function boxesAroundList(list, control) {
  const boxes = [];
  for (
    let at = composedParentOf(list);
    at && boxes.length < MAX_OWN_BOXES && !nodeContains(at, control) && !PAGE_TAGS.has(tagOf(at));
    at = composedParentOf(at)
  )
    boxes.push(at);
  return boxes;
}

// Whether the list says that only one of its options can be chosen: a click on the chosen one keeps it.
function takesOne(el) {
  const [option] = choicesOf(controlOf(el));
  const list = option ? closestMatch(option, '[role=listbox]') : null;
  return list !== null && getAttributeOf(list, 'aria-multiselectable') === 'false';
}

// Finds the button by which the dialog that a list stands in takes over what was chosen in it.
const CONFIRMS =
  /^(?:ok(?:ay)?|done|apply|confirm|select|choose|set|save|确\s?定|確定|aceptar|valider|fertig)$/i;

function findConfirmation(el) {
  const control = controlOf(el);
  const box = foundOption?.isConnected ? closestMatch(foundOption, MODAL_SELECTOR) : null;
  if (box === null || nodeContains(box, control) || !visibleBoxOf(box)) return false;
  const buttons = [...allMatches(box, 'button, [role=button]')].filter(
    (one) => CONFIRMS.test(visibleText(one)) && visibleBoxOf(one),
  );
  if (buttons.length !== 1) return false;
  [foundOption] = buttons;
  return true;
}

// The boxes of a dialog that a control has opened, in which several options are ticked.
const boxesInSheet = (control) =>
  hasOpened(control)
    ? visibleMatches(control, '[role=checkbox], input[type=checkbox]').filter((one) => {
        const sheet = closestMatch(one, MODAL_SELECTOR);
        return sheet !== null && !nodeContains(sheet, control) && !presentBeforeOpening?.has(one);
      })
    : [];

// Waits for such boxes; whether there are any.
async function hasSheet(el, budget) {
  const stop = performance.now() + budget;
  while (!boxesInSheet(controlOf(el)).length) {
    if (performance.now() >= stop || !areScriptsEnabled() || choicesOf(controlOf(el)).length)
      return false;
    await nextFrame();
  }
  return true;
}

// Finds the next box of a sheet that has to be clicked for these and no others to be ticked. `why` a value is none of
// them; `found`: whether there is one.
function findSheetBox(el, values) {
  const named = boxesInSheet(controlOf(el)).map((box) => {
    const name = nameOf(box, 'checkbox') || visibleText(box) || labelBesideOf(box);
    return { box, name, want: normalizeText(name) };
  });
  const wanted = values.map(normalizeText);
  const missing = values.find((value) => !named.some(({ want }) => want === normalizeText(value)));
  if (missing !== undefined) {
    const options = named.map(({ name }) => name);
    return {
      why: 'option_not_found',
      text: missing,
      options: options.slice(0, 50),
      total: options.length,
    };
  }
  const wrong = named.find(({ box, want }) => (stateOf(box) === true) !== wanted.includes(want));
  foundOption = wrong?.box ?? named[0]?.box ?? null;
  return { found: wrong !== undefined, want: wrong !== undefined && wanted.includes(wrong.want) };
}

// The element that contains a control and what covers it, such as chips of chosen options, or that is shown in its
// place; the control itself if nothing covers it, null if something unrelated does.
function openerAround(control) {
  const box = isPresent(control) ? visibleBoxOf(control) : null;
  if (isPresent(control) && showsNothing(control, box)) return shownBoxAround(control);
  let top =
    box && topElementAt(control.ownerDocument, box.x + box.width / 2, box.y + box.height / 2);
  if (!top || isPartOfTarget(top, control)) return control;
  for (let steps = 0; top && !nodeContains(top, control) && steps < MAX_OVER; steps++)
    top = parentElementOf(top);
  return top && nodeContains(top, control) && !PAGE_TAGS.has(tagOf(top)) ? top : null;
}

const showsNothing = (el, box = visibleBoxOf(el)) =>
  box === null || Math.max(box.width, box.height) <= 1 || viewOf(el) === null;

// What shows in the place of a control that is there for the keyboard alone: scaled to nothing, and moved out of the way.
function shownBoxAround(control) {
  let at = parentElementOf(control);
  for (let steps = 1; at && steps < MAX_OVER && showsNothing(at); steps++) at = parentElementOf(at);
  return at && !PAGE_TAGS.has(tagOf(at)) && !hasOtherField(at, control) ? at : control;
}

// Finds the element to click to open a list, if it is not the control; waits for other lists to close.
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

// Whether what is in an element may show: one without a box of its own is passed over.
const mayShow = (el) => el.checkVisibility() || isBoxless(el);

// The visible text in an element around a control, without the control, its list and native lists.
function textsAround(at, control, list) {
  const walker = walkerIn(
    documentOf(at),
    at,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      nodeTypeOf(node) === 1 &&
      (node === list || node === control || tagOf(node) === 'SELECT' || !mayShow(node))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  let words = '';
  while (words.length < MAX_LABEL_WORDS && walker.nextNode())
    if (nodeTypeOf(walker.currentNode) === 3) words += ` ${walker.currentNode.data}`;
  return normalizeText(words);
}

// Whether an element is or contains a field other than the control. Fields that the keyboard cannot reach do not
// count: they hold values for the form.
const DRAWN_FIELDS = /^(?:combobox|checkbox|switch|radio|slider|spinbutton|textbox|searchbox)$/;
const hasOtherField = (at, control) =>
  [at, ...allMatches(at, 'input, textarea, [role]')].some(
    (one) =>
      !nodeContains(control, one) &&
      !nodeContains(one, control) &&
      (/^(?:INPUT|TEXTAREA)$/.test(tagOf(one)) ||
        DRAWN_FIELDS.test(getAttributeOf(one, 'role') ?? '')) &&
      one.tabIndex >= 0 &&
      closestMatch(one, '[role=listbox], [role=tree], [role=menu]') === null &&
      one.checkVisibility(),
  );

// The visible siblings before and after an element, each way up to the next field.
function visibleNeighboursOf(el, control) {
  const near = [];
  for (const step of [previousElementSiblingOf, nextElementSiblingOf]) {
    for (let at = step(el); at && !hasOtherField(at, control); at = step(at))
      if (mayShow(at)) near.push(at);
  }
  return near;
}

// Those of the values that should be chosen, but that neither the control nor what is around it shows.
function missingChoices(el, values) {
  const control = controlOf(el);
  // What takes a value away stands in the control itself, which may show another value there by now.
  const option = foundOption === foundRemover ? null : foundOption;
  const list = option && (option.closest('[role=listbox]') || option.parentElement);
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

// Leaves a field and returns whether it keeps what was typed (`kept`), which a field that only accepts its options
// does not; whether its list is still open (`open`), because some close only on a key; and whether Escape may close
// more than the list (`modal`). Search fields keep any text, and are not left. key: a key was pressed to leave it.
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
    kept: isTextKept(textOnLeaving, read()),
    open: isListOpen(control),
    modal: closestMatch(control, MODAL_SELECTOR) !== null,
  };
  control.focus({ preventScroll: true });
  return answer;
}

// A date may be written in another form by now.
const isTextKept = (typed, held) =>
  held === typed || (/\d\D+\d/.test(typed) && DATE_LIKE.test(typed) && holdsGiven(typed, held));

// Chips of what was chosen may be options, too: a control that names its list is open as long as that shows.
function isListOpen(control) {
  const options = popupsOf(control).flatMap((list) => [...allMatches(list, optionSelector())]);
  return options.length > 0
    ? options.some(visibleBoxOf)
    : choicesOf(control).length > 0 ||
        (openedControl === offeredLists.by && floatingListsBeside(control).length > 0) ||
        hasListWithoutRoles(control);
}

// Whether a list without roles has come up beside a control since it was opened.
const hasListWithoutRoles = (control) =>
  openedControl === control &&
  presentBeforeOpening !== null &&
  floatingListsBeside(control).some(
    (list) =>
      !isMessageList(list) &&
      [...allMatches(list, 'li, div, span')].some(
        (one) => !presentBeforeOpening.has(one) && visibleBoxOf(one),
      ),
  );

// Whether a control's list stays open after its last option was chosen, and whether a key can close it. leave: leave
// the control first.
async function listStaysOpen(el, leave) {
  const control = controlOf(el);
  const isOpen = () => control.getAttribute('aria-expanded') === 'true' || isListOpen(control);
  // What closes by itself may take its time; a key would then mean the field.
  const stop = performance.now() + CLOSING_MS;
  const isClosing = () =>
    control.getAttribute('aria-expanded') === 'false' && performance.now() < stop;
  if (leave) control.blur();
  for (
    let frames = 0;
    (frames < BLUR_FRAMES || isClosing()) && areScriptsEnabled() && isOpen();
    frames++
  )
    await nextFrame();
  return {
    open: isOpen(),
    byKey:
      isPartOfTarget(focusedElement(), control) && closestMatch(control, MODAL_SELECTOR) === null,
  };
}

const showsInField = (control) =>
  control.isConnected && (tagOf(control) === 'INPUT' || valueFieldIn(control) !== null);

// What a control shows instead of the option that was clicked: another option; while its list is still open, what it
// showed before; nothing, where it is a field and the option stands nowhere beside it. null if it accepts the option. A
// control without a field that shows nothing of what is chosen is believed.
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
    const isEmpty = shown === '' && showsInField(control) && missingChoices(el, wanted).length > 0;
    const fits =
      shown === '' || wanted.some((words) => shown.includes(words) || words.includes(shown));
    const isOpen =
      foundOption?.isConnected && visibleBoxOf(foundOption) && !isSelected(foundOption);
    const differs =
      isEmpty || (!fits && (optionTexts.includes(shown) || (isOpen && state === before)));
    if (!differs) return null;
    if (performance.now() >= stop || !areScriptsEnabled()) return state;
    await nextFrame();
  }
}

Object.assign(globalThis.openchrome, {
  listState,
  findConfirmation,
  opensChoices: (el) => opensChoices(controlOf(el), roleOf(controlOf(el))),
  hasSheet,
  findSheetBox,
  takesOne,
  takesSeveral,
  missingChoices,
  keepsText,
  listStaysOpen,
  findFieldInside,
  findOpener,
  closeOpened: blurOpened,
  textShownInstead,
});
