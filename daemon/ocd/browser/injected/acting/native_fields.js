// What native fields hold, and how values are written into them.

const SETTLED_LIST_MS = 1000;

// What a control says now; a password says only that it has something.
function stateOf(el) {
  const control = controlOf(el);
  if (control.type === 'checkbox' || control.type === 'radio')
    return control.checked || tickOf(control) === 'true';
  if (control.type === 'password') return control.value ? '(filled)' : '';
  if (control.tagName === 'SELECT') {
    const chosen = [...control.selectedOptions].map((one) => squeeze(one.label || one.text));
    return control.multiple ? chosen : (chosen[0] ?? '');
  }
  if (takesCode(control)) return clip(visibleCode(control), 500);
  if ('value' in control && /^(INPUT|TEXTAREA)$/.test(control.tagName))
    return clip(charactersIn(control) || control.value, 500);
  const checked = ariaOf(control, 'checked');
  if (checked !== null) return checked === 'mixed' ? 'mixed' : checked === 'true';
  if (control.isContentEditable) return clip(editorLines(control).join('\n'), 500);
  if (isSlider(control)) return sliderValueOf(control);
  if (isSegmented(control)) return segmentedText(control);
  if (isRadioSet(control)) return checkedRadioName(control);
  if (isCheckboxSet(control)) return checkedBoxNames(control);
  const role = roleOf(control);
  if (role === 'listbox')
    return [...control.querySelectorAll('[role=option][aria-selected=true]')].map(visibleText);
  const within = listWithin(control);
  if (within) return optionsHeld(within)[0]?.name ?? '';
  return role === 'combobox' || control.getAttribute('aria-haspopup') === 'listbox'
    ? clip(squeeze(textWithoutLists(control)) || (valueFieldIn(control)?.value ?? ''), 500)
    : null;
}

// The one text field in a control that is none itself, which shows what was chosen.
function valueFieldIn(control) {
  const [field, other] = [...allMatches(control, 'input')].filter(
    (one) => one.type === 'text' && visibleBoxOf(one) !== null,
  );
  return field && !other ? field : null;
}

// Writing

const SET_DIRECTLY = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const FORMS = {
  date: '2031-12-24',
  time: '18:30',
  month: '2031-12',
  week: '2031-W52',
  'datetime-local': '2031-12-24T18:30',
  color: '#rrggbb',
  range: 'a number',
};

function kindOf(el) {
  const control = controlOf(el);
  if (control.tagName === 'SELECT') return 'select';
  if (control.tagName === 'OPTION') return 'option';
  const custom = listKind(control);
  if (custom) return custom;
  if (control.tagName === 'INPUT') {
    if (control.type === 'checkbox' || control.type === 'radio') return 'check';
    if (/^(button|submit|reset|image|hidden)$/.test(control.type)) return 'none';
    if (control.type === 'file') return 'file';
    return SET_DIRECTLY.has(control.type) ? 'direct' : 'text';
  }
  if (takesCode(control)) return 'code';
  if (control.tagName === 'TEXTAREA') return 'text';
  if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(roleOf(control)))
    return 'check';
  if (/^(option|treeitem)$/.test(roleOf(control)) && control.hasAttribute('aria-checked'))
    return 'check';
  if (isSlider(control)) return 'slider';
  if (control.isContentEditable) return 'rich';
  if (isSegmented(control)) return 'segments';
  return isRadioSet(control) ? 'radios' : isCheckboxSet(control) ? 'boxes' : 'none';
}

const dispatchEvents = (el, ...names) =>
  names.forEach((name) =>
    el.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' })),
  );
const propertySetter = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).set;
const setInput = propertySetter(HTMLInputElement.prototype, 'value');

// Lets the field with the focus hear a key go up, after which many pages filter, count or check; what it holds then.
function hearKeyUp(el, key) {
  const keyCode = /^[a-z\d]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0;
  const at = hasFocus(el) ? controlOf(el) : focusedElement();
  at.dispatchEvent(new KeyboardEvent('keyup', { key, keyCode, bubbles: true, composed: true }));
  return stateOf(el);
}

// Puts the caret where text is to replace what is there.
function selectAll(el) {
  const control = controlOf(el);
  control.focus({ preventScroll: true });
  if (typeof control.select === 'function') control.select();
  else {
    const selection = windowOf(documentOf(control)).getSelection();
    selection.selectAllChildren(control);
  }
  const active = activeElementOf(rootNodeOf(control));
  return active === control || nodeContains(control, active);
}

// Puts the caret behind the text: how many characters there are, and whether scripts may place it.
function caretToEnd(el) {
  const control = controlOf(el);
  control.focus({ preventScroll: true });
  if (takesCode(control)) return { length: 0, placed: false };
  if (!('value' in control)) {
    const selection = windowOf(documentOf(control)).getSelection();
    if (control.isContentEditable) commandIn(documentOf(control), 'selectAll');
    selection.collapseToEnd();
    return { length: 0, placed: true };
  }
  const { length } = control.value;
  const placed = control.selectionEnd !== null; // number and mail fields have no caret for scripts
  if (placed) control.setSelectionRange(length, length);
  return { length, placed };
}

const hasFocus = (el) => isPartOfTarget(focusedElement(), controlOf(el));

// Moves the focus to an element, or to what it gives it on to; whether it took it.
function takeFocus(el) {
  const control = controlOf(el);
  const before = focusedElement();
  // Keys do not go over what was selected some time ago in a field that has no focus.
  if (before !== control && control.selectionStart < control.selectionEnd)
    control.setSelectionRange(0, 0);
  control.focus({ preventScroll: true });
  const now = focusedElement();
  return (
    now !== before ||
    hasFocus(el) ||
    (now !== rootElementOf(document) && isPartOfTarget(control, now))
  );
}

// The text field that a page has shown and focused in the place of one that was focused: what was typed into that is
// lost when it is left. Null if there is none.
function substituteOf(control) {
  const now = focusedElement();
  const isGone = now !== control && control.isConnected && !visibleBoxOf(control);
  return isGone && now.matches(ENTRY_FIELDS) && parentElementOf(now) === parentElementOf(control)
    ? now
    : null;
}

function findSubstitute(el) {
  foundOption = substituteOf(controlOf(el)) ?? foundOption;
  return foundOption !== null && foundOption === substituteOf(controlOf(el));
}

// A value in the form in which a control holds it: HTML also allows a blank between date and time.
function nativeForm(control, value) {
  if (control.type === 'datetime-local') return value.replace(/^(\d+-\d+-\d+) (?=\d)/, '$1T');
  return control.type === 'color' ? value.toLowerCase() : value;
}

function setValueDirectly(el, value, keyless) {
  const control = controlOf(el);
  const wanted = nativeForm(control, value);
  const before = control.value;
  control.focus({ preventScroll: true });
  setInput.call(control, wanted);
  const same =
    control.value === wanted ||
    (control.type === 'range'
      ? control.value !== '' && Number(control.value) === Number(wanted)
      : wanted !== '' && control.value.startsWith(wanted));
  if (!same) {
    const got = control.value;
    setInput.call(control, before);
    const steps = control.step === 'any' ? '' : ` in steps of ${control.step || 1}`;
    const bounds =
      control.type === 'range' ? ` from ${control.min || 0} to ${control.max || 100}${steps}` : '';
    return {
      why: 'wrong_value',
      text: `${control.type} takes ${FORMS[control.type]}${bounds}`,
      got,
    };
  }
  const held = control.value;
  if (held === before) return { held };
  const key = control.type === 'range' && !keyless ? stepAside(control) : '';
  dispatchEvents(control, 'input', ...(key ? [] : ['change']));
  return { held, key };
}

// Moves a slider to the step before the one that it is to hold, or behind it, and returns the key that takes the last
// step: some pages take a value over once a key or the mouse is let go. '' where it has no such step.
function stepAside(control) {
  if (control.step === 'any') return '';
  const held = control.value;
  for (const [step, key] of [
    ['stepDown', 'ArrowUp'],
    ['stepUp', 'ArrowDown'],
  ]) {
    control[step]();
    if (control.value !== held) return key;
  }
  return '';
}

// Chooses options of a select. Of a field with a datalist: returns the value that is to be entered.
function chooseOptions(el, values) {
  const control = el.tagName === 'OPTION' ? el.closest('select') : controlOf(el);
  const isSuggested = control.tagName === 'INPUT';
  const all = [...(isSuggested ? (control.list?.options ?? []) : control.options)];
  if (control.multiple && values.length === 1 && !values[0] && !all.some((one) => !one.value))
    values = [];
  const found = values.map((value) => optionCalled(all, value));
  const missing = values.filter((value, place) => !found[place]);
  if (missing.length) {
    return {
      why: 'option_not_found',
      text: missing[0],
      options: all.slice(0, 50).map((one) => squeeze(optionLabel(one))),
      total: all.length,
    };
  }
  if (found.length > 1 && !control.multiple)
    return { why: 'wrong_value', text: 'it accepts only one option' };
  const closed = found.find((one) => one.disabled || one.closest('optgroup:disabled'));
  if (closed)
    return {
      why: 'not_enabled',
      text: `its option ${quote(squeeze(optionLabel(closed)))} is disabled`,
    };
  if (isSuggested) return { enter: found[0].value };
  const was = all.map((one) => one.selected);
  control.focus({ preventScroll: true });
  for (const one of all)
    if (!found.includes(one) && one.selected && control.multiple) one.selected = false;
  if (!found.length) control.selectedIndex = -1;
  for (const one of found) one.selected = true;
  const held = stateOf(control);
  if (all.some((one, place) => one.selected !== was[place]))
    dispatchEvents(control, 'input', 'change');
  return { held };
}

// Chooses once the options are there and can be chosen: often they depend on what another field says. A
// list of several that has been the same for long is all there is.
async function chooseInTime(el, values, budget) {
  const began = performance.now();
  const stop = began + budget;
  let [list, same] = ['', readyStateOf(document) === 'complete' ? lastChange : began];
  for (;;) {
    const answer = isPresent(el) ? chooseOptions(el, values) : { why: 'detached' };
    const mayCome = answer.why === 'option_not_found' || answer.why === 'not_enabled';
    if (!mayCome || performance.now() >= stop || !areScriptsEnabled()) return answer;
    if (answer.why === 'option_not_found' && answer.total > 1) {
      const now = answer.options.join('\n');
      if (list && now !== list) same = performance.now();
      list = now;
      if (performance.now() - same > SETTLED_LIST_MS) return answer;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}
