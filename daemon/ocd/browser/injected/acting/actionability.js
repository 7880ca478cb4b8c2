// Acting on an element: when it can be used, where to click, what to write, and what changed.

// Whether timers and frames call us back: they do not where a sandbox forbids scripts, ours included.
let scriptsEnabled;
function areScriptsEnabled() {
  if (scriptsEnabled === undefined) {
    scriptsEnabled = true;
    try { // without scripting, what is in a noscript element is made into elements
      const trial = createIn(document, 'div');
      trial.innerHTML = '<noscript><b></b></noscript>';
      scriptsEnabled = !trial.querySelector('b');
    } catch { /* a page that takes trusted HTML alone has scripts */ }
  }
  return scriptsEnabled;
}

// The next drawn frame; a page that draws nothing is asked again soon. Returns whether one was drawn.
const nextFrame = (most = 60) => areScriptsEnabled() && new Promise((resolve) => {
  const timer = setTimeout(() => resolve(false), most);
  requestAnimationFrame(() => { clearTimeout(timer); resolve(true); });
});

// The control that an element stands for: a label's, or what takes the keys of a code editor.
const controlOf = (el) => (el.tagName === 'LABEL' && el.control) || codeInputOf(el) || el;

// An element without contents has a place on the page, though there is nothing of it to see.
const hasPlace = (el) => el.getClientRects().length > 0 && el.checkVisibility({ visibilityProperty: true });

// Where something is of which nothing can be seen, if that will do: its own place, that of one that shows
// it in its stead, or the one that its words stand in.
function placeOfUnseen(el, options) {
  if (el && options.empty && hasPlace(el)) return el;
  if (!el || !options.unseen) return null;
  if (getComputedStyle(el).display !== 'contents') return el.getClientRects().length > 0 ? el : null;
  return [...childElementsOf(el)].find((one) => one.getClientRects().length > 0) || placeOfUnseen(parentElementOf(el), options);
}

const isTicked = (el) => el.tagName === 'INPUT' && TICK_ROLES.has(el.type);

// The box around something to tick that is not drawn itself, where it holds nothing else to act on.
function faceAround(el) {
  const around = parentElementOf(el);
  const others = around && [...allMatches(around, 'input, button, select, textarea, a')].some((one) => one !== el);
  return around && !others && visibleBoxOf(around) ? around : null;
}

// What of an element takes the mouse: a control that is not drawn is reached by its label, one without a
// box of its own by what is in it.
function surfaceOf(el) {
  const box = visibleBoxOf(el);
  const unseen = !box || isInvisible(el, getComputedStyle(el));
  // A click on the label of a field with a list gives it the focus alone.
  const label = unseen && !(box && listKind(el)) ? labelsOf(el).find((one) => visibleBoxOf(one)) : null;
  if (label) return [label, visibleBoxOf(label)];
  const face = !box && isTicked(el) ? faceAround(el) : null;
  if (face) return [face, visibleBoxOf(face)];
  if (!box && textBoxOf(el)) {
    const inner = [...childElementsOf(el)].find(visibleBoxOf) || el;
    return [inner, visiblePlaceOf(inner)];
  }
  if (!box && el.tagName === 'OPTION' && el.closest('select')) return [el.closest('select'), visibleBoxOf(el.closest('select'))];
  return [el, box];
}

const READ_ONLY = 'it is read-only';

function disabledReason(el, editable) {
  const control = controlOf(el);
  if (control.matches(':disabled')) return 'it is disabled';
  if (isMarkedDisabled(control)) return 'it is marked aria-disabled';
  const around = closestMatch(control, 'button:disabled');
  if (around) return `it is part of ${describe(around)}, which is disabled`;
  if (control.closest('[inert]')) return 'it is inert';
  if (editable && (control.readOnly === true || control.getAttribute('aria-readonly') === 'true')) return READ_ONLY;
  return '';
}

function describe(el) {
  const role = roleOf(el);
  const name = el === rootElementOf(documentOf(el)) ? '' : nameOf(el, role) || squeeze((textContentOf(el) || '').slice(0, 200));
  const id = el.id ? `#${el.id}` : '';
  const classes = !id && typeof el.className === 'string' && el.className ? `.${squeeze(el.className).split(' ').join('.')}` : '';
  return `${role || `<${el.tagName.toLowerCase()}${id}${classes}>`}${name ? ` ${quote(clip(name, 80))}` : ''}`;
}

function isPartOfTarget(hit, el) {
  for (let at = hit; at; at = (tagOf(at) !== 'FORM' && at.assignedSlot) || composedParentOf(at)) {
    if (at === el) return true;
    if (at.tagName === 'LABEL' && (at.control === el || isFaceOf(at, el))) return true;
  }
  return false;
}

// Whether a label that is no control's is drawn over a box to tick beside it: the page's scripts tick that.
const isFaceOf = (label, el) => label.control === null && isTicked(el)
  && [previousElementSiblingOf(label), nextElementSiblingOf(label)].includes(el);

const withoutTranslation = (matrix) => new DOMMatrix([matrix.a, matrix.b, matrix.c, matrix.d, 0, 0]);

// How an element and what is around it are scaled, mirrored and turned; perspective is left out.
function linearTransformOf(el) {
  let turn = new DOMMatrix();
  for (let at = el; at; at = assignedSlotOf(at) || composedParentOf(at)) {
    const { rotate, scale, transform, transformStyle } = getComputedStyle(at);
    if (transformStyle !== 'preserve-3d') turn = withoutTranslation(turn);
    if (transform !== 'none') turn = new DOMMatrix(transform).multiply(turn);
    const [across, down = across] = scale.split(' ');
    if (scale !== 'none') turn = new DOMMatrix(`scale(${across}, ${down})`).multiply(turn);
    if (rotate !== 'none') turn = new DOMMatrix(rotationOf(...rotate.split(' '))).multiply(turn);
  }
  return withoutTranslation(turn);
}

// The function that says what the property says: an angle, or an axis and an angle.
function rotationOf(...words) {
  if (words.length === 1) return `rotate(${words[0]})`;
  return words.length === 2 ? `rotate${words[0].toUpperCase()}(${words[1]})` : `rotate3d(${words.join(', ')})`;
}

// How a frame's content lies in its parent's window: about the middle of its box, which no turn moves.
function contentMatrix(frame) {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const turn = linearTransformOf(frame);
  const [width, height] = [frame.offsetWidth, frame.offsetHeight];
  const grown = (side, size) => side / size || 1;
  const zoomed = new DOMMatrix([
    grown(box.width, Math.abs(turn.a) * width + Math.abs(turn.c) * height), 0,
    0, grown(box.height, Math.abs(turn.b) * width + Math.abs(turn.d) * height),
    box.x + box.width / 2, box.y + box.height / 2]);
  return zoomed.multiply(turn).translate(
    frame.clientLeft + parseFloat(style.paddingLeft) - width / 2, frame.clientTop + parseFloat(style.paddingTop) - height / 2);
}

function mapPoint(matrix, x, y) {
  const point = matrix.transformPoint(new DOMPoint(x, y));
  return [point.x, point.y];
}

const toParentPoint = (frame, x, y) => mapPoint(contentMatrix(frame), x, y);
const toFramePoint = (frame, x, y) => mapPoint(contentMatrix(frame).inverse(), x, y);

// The box around a box of a frame's document, in the parent's window.
function toParentBox(frame, x, y, width, height) {
  const matrix = contentMatrix(frame);
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map((corner) => mapPoint(matrix, ...corner));
  const [left, top] = [0, 1].map((axis) => Math.min(...corners.map((corner) => corner[axis])));
  return [left, top, Math.max(...corners.map((corner) => corner[0])) - left, Math.max(...corners.map((corner) => corner[1])) - top];
}

// A point in the engine's own window, and what covers it, climbing out of frames of the same origin.
function toWindowPoint(el, x, y) {
  let view = windowOf(documentOf(el));
  let covering = topElementAt(documentOf(el), x, y);
  // Nothing is met outside of the window.
  let by = isPartOfTarget(covering, el) ? null : covering || rootElementOf(documentOf(el));
  const top = covering;
  while (view !== window) {
    const frame = view.frameElement;
    [x, y] = toParentPoint(frame, x, y);
    covering = topElementAt(documentOf(frame), x, y);
    if (!by && covering !== frame) by = covering || frame;
    view = windowOf(documentOf(frame));
  }
  return { x, y, by, top };
}

function isOutsideWindow(el, box) {
  const view = windowOf(documentOf(el));
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) return true;
  return false;
}

const hasMoved = (a, b) => !b || Math.abs(a.x - b.x) > 0.5 || Math.abs(a.y - b.y) > 0.5 || Math.abs(a.width - b.width) > 0.5;
// What moves does so from frame to frame, and a busy machine draws few: before one was drawn, nothing
// is known to stand still.
const STILL_MS = 300;
const RETRY_MS = 30;
const SETTLED_LIST_MS = 1000;
const SCROLL_BLOCKS = ['center', 'end', 'start', 'nearest'];

// While something is dragged, lists take the pointer in place of their items, and it is in the way itself.
const isCoveredByDrag = (surface, by) => getComputedStyle(surface).pointerEvents === 'none' || nodeContains(by, surface) || isPartOfTarget(by, drag.source);

// One look: an element that can be used has a point; else `why` it cannot.
async function tryTarget(el, options, round) {
  if (!isPresent(el)) return { why: 'detached' };
  const [surface, box] = surfaceOf(el);
  const place = box ? surface : placeOfUnseen(el, options);
  if (!place) return { why: 'not_visible' };
  const disabled = options.enabled && disabledReason(el, options.editable);
  if (disabled) return { why: 'not_enabled', text: disabled, ...(disabled === READ_ONLY && { hint: 'If the page sets it: click it, and choose from what opens.' }) };
  if (!box) {
    if (options.scroll) place.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return {};
  }
  let placed = box;
  let scrolled = true;
  const scrolls = surface.tagName === 'AREA' ? pictureOf(surface) : visibleBoxOf(surface) ? surface : parentElementOf(surface);
  if (round > 0 || isOutsideWindow(surface, box) || options.scroll) {
    const block = SCROLL_BLOCKS[round % SCROLL_BLOCKS.length];
    scrolls.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
    placed = visiblePlaceOf(surface);
  } else if (documentOf(surface) !== document || window !== top) { // also in a frame that we cannot look out of
    scrolls.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    placed = visiblePlaceOf(surface);
  } else scrolled = false;
  if (!options.point && !options.scroll) return {};
  const began = animationTime(surface);
  let drawn = true;
  if (scrolled || !isAtRest(surface)) drawn = await nextFrame(STILL_MS);
  if (beginsToMove(surface)) drawn = await nextFrame(STILL_MS);
  drawn = await waitUntilDrawn(began, surface, drawn);
  if (!isPresent(el)) return { why: 'detached' };
  const now = visiblePlaceOf(surface);
  if (!now) return { why: 'not_visible' };
  if (hasMoved(placed, now) || !drawn) return { why: 'moving' };
  if (!options.point) return {};
  const handler = handlerOf(surface);
  const spot = clickPointOf(handler, now);
  if (!spot) return { why: 'not_visible', text: 'it lies outside the window and cannot be scrolled into view' };
  if (spot.by && options.dragging && isCoveredByDrag(surface, spot.by)) return { x: spot.x, y: spot.y };
  if (spot.by && surface === handler && getComputedStyle(surface).pointerEvents === 'none') {
    const hint = 'Wait until the page lets it be clicked, or act on what gets the clicks.';
    return { why: 'not_enabled', text: `clicks pass through it to ${describe(spot.by)} (pointer-events: none)`, hint };
  }
  if (spot.by) return { why: 'covered', text: describe(spot.by) };
  return { x: spot.x, y: spot.y };
}

// Whether something has come under the mouse while it stood still. Menus that open under it wait for
// its next move, and would take the one to another item for it.
let cameUnderMouse = false;
if (areScriptsEnabled()) {
  const listen = (type, came) => addEventListener(type, (event) => {
    if (event.isTrusted) cameUnderMouse = came && !PAGE_TAGS.has(event.target.tagName);
  }, { capture: true, passive: true });
  listen('mouseover', true);
  listen('mousemove', false);
}

// Waits until the element can be used, at most `budget` ms, and begins to watch what changes.
async function waitReady(el, options) {
  const stop = performance.now() + options.budget;
  let covered = 0;
  for (;;) {
    const found = await tryTarget(el, options, covered);
    const over = performance.now() >= stop || (!areScriptsEnabled() && covered + 1 >= SCROLL_BLOCKS.length);
    if (!found.why || found.why === 'detached' || over) {
      if (found.why) return found;
      if (!options.goes_on || !changeWatch) watchChanges(el);
      if (options.strike) guardClick(el);
      const sends = options.editable ? '' : formTargetOrigin(el, options.point);
      return { ...found, sends, stir: cameUnderMouse, selected: options.select && !cameUnderMouse ? selectAll(el) : null };
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
  const action = control.hasAttribute('formaction') ? control.getAttribute('formaction') : form.getAttribute('action');
  try {
    const { origin } = new URL(action || urlOf(document), baseOf(document));
    return origin === location.origin ? '' : origin;
  } catch {
    return '';
  }
}

const ownerFormOf = (control) => (control.form instanceof HTMLFormElement ? control.form : null);

// Where a point of a child frame lies in ours, and what covers the frame there.
function throughFrame(frame, x, y) {
  const found = toWindowPoint(frame, ...toParentPoint(frame, x, y));
  return { x: found.x, y: found.y, covered: found.by ? describe(found.by) : '' };
}

// What a control says now; a password says only that it has something.
function stateOf(el) {
  const control = controlOf(el);
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked;
  if (control.type === 'password') return control.value ? '(filled)' : '';
  if (control.tagName === 'SELECT') {
    const chosen = [...control.selectedOptions].map((one) => squeeze(one.label || one.text));
    return control.multiple ? chosen : chosen[0] ?? '';
  }
  if (takesCode(control)) return clip(visibleCode(control), 500);
  if ('value' in control && /^(INPUT|TEXTAREA)$/.test(control.tagName)) return clip(control.value, 500);
  const checked = control.getAttribute('aria-checked');
  if (checked !== null) return checked === 'mixed' ? 'mixed' : checked === 'true';
  if (control.isContentEditable) return clip(editorLines(control).join('\n'), 500);
  if (isSlider(control)) return control.getAttribute('aria-valuenow');
  if (isSegmented(control)) return segmentedText(control);
  if (isRadioSet(control)) return checkedRadioName(control);
  if (isCheckboxSet(control)) return checkedBoxNames(control);
  const role = roleOf(control);
  if (role === 'listbox') return [...control.querySelectorAll('[role=option][aria-selected=true]')].map(visibleText);
  return role === 'combobox' || control.getAttribute('aria-haspopup') === 'listbox' ? clip(squeeze(textWithoutLists(control)), 500) : null;
}

// Writing

const SET_DIRECTLY = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const FORMS = { date: '2031-12-24', time: '18:30', month: '2031-12', week: '2031-W52', 'datetime-local': '2031-12-24T18:30', color: '#rrggbb', range: 'a number' };

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
  if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(roleOf(control))) return 'check';
  if (/^(option|treeitem)$/.test(roleOf(control)) && control.hasAttribute('aria-checked')) return 'check';
  if (isSlider(control)) return 'slider';
  if (control.isContentEditable) return 'rich';
  if (isSegmented(control)) return 'segments';
  return isRadioSet(control) ? 'radios' : isCheckboxSet(control) ? 'boxes' : 'none';
}

const dispatchEvents = (el, ...names) => names.forEach((name) => el.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' })));
const propertySetter = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).set;
const setInput = propertySetter(HTMLInputElement.prototype, 'value');

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
  if (before !== control && control.selectionStart < control.selectionEnd) control.setSelectionRange(0, 0);
  control.focus({ preventScroll: true });
  const now = focusedElement();
  return now !== before || hasFocus(el) || (now !== rootElementOf(document) && isPartOfTarget(control, now));
}

function setValueDirectly(el, value) {
  const control = controlOf(el);
  const wanted = control.type === 'color' ? value.toLowerCase() : value;
  const before = control.value;
  control.focus({ preventScroll: true });
  setInput.call(control, wanted);
  const same = control.value === wanted || (control.type === 'range' ? control.value !== '' && Number(control.value) === Number(wanted)
    : wanted !== '' && control.value.startsWith(wanted));
  if (!same) {
    const got = control.value;
    setInput.call(control, before);
    const steps = control.step === 'any' ? '' : ` in steps of ${control.step || 1}`;
    const bounds = control.type === 'range' ? ` from ${control.min || 0} to ${control.max || 100}${steps}` : '';
    return { why: 'wrong_value', text: `${control.type} takes ${FORMS[control.type]}${bounds}`, got };
  }
  const held = control.value;
  if (held !== before) dispatchEvents(control, 'input', 'change');
  return { held };
}

function chooseOptions(el, values) {
  const control = el.tagName === 'OPTION' ? el.closest('select') : controlOf(el);
  const all = [...control.options];
  const found = values.map((value) => all.find((one) => one.value === value) || all.find((one) => squeeze(one.label || one.text) === squeeze(value))
    || all.find((one) => normalizeText(one.label || one.text) === normalizeText(value)));
  const missing = values.filter((value, place) => !found[place]);
  if (missing.length) {
    return { why: 'option_not_found', text: missing[0], options: all.slice(0, 50).map((one) => squeeze(one.label || one.text)), total: all.length };
  }
  if (found.length !== 1 && !control.multiple) return { why: 'wrong_value', text: 'it accepts only one option' };
  const closed = found.find((one) => one.disabled || one.closest('optgroup:disabled'));
  if (closed) return { why: 'not_enabled', text: `its option ${quote(squeeze(closed.text))} is disabled` };
  const was = all.map((one) => one.selected);
  control.focus({ preventScroll: true });
  for (const one of all) if (!found.includes(one) && one.selected && control.multiple) one.selected = false;
  for (const one of found) one.selected = true;
  const held = stateOf(control);
  if (all.some((one, place) => one.selected !== was[place])) dispatchEvents(control, 'input', 'change');
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
    await new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
  }
}

// What something without a name is called: a field by the words beside it.
function fallbackNameOf(el, control, role) {
  if (PAGE_TAGS.has(tagOf(el))) return '';
  return LABELLED_ROLES.has(role) ? labelBesideOf(control) : shortWordsOf(el);
}

// `whole`: with what tells the element again on a page whose ids and order have changed.
function elementFacts(el, whole) {
  const control = controlOf(el);
  const role = roleOf(control);
  const name = clip(nameOf(control, role) || nameOf(el, role) || fallbackNameOf(el, control, role));
  return { role: role || el.tagName.toLowerCase(), name, kind: kindOf(el), state: stateOf(el),
    most: control.maxLength > -1 ? control.maxLength : null, secret: control.type === 'password', radio: control.type === 'radio',
    compound: isCompound(control, role), by_click: opensByClick(control, role), ...(whole ? { identity: identityOf(control) } : {}) };
}

Object.assign(globalThis.openchrome, {
  ready: waitReady, settle, elementFacts, chooseInTime, setDirectly: setValueDirectly, selectAll, caretToEnd, hasFocus, takeFocus, throughFrame, stateOf,
});
