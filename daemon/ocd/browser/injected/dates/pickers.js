// Fields with a calendar or a clock of their own, which takes what is typed only when it is told to.

const DATE_OR_TIME = /^\d{1,4}(?:(?:[-/.:\u2013 ]|, )\d{1,4}){1,5}(?: ?[ap]m)?$/i;
const PICKER_DISTANCE_PX = 80; // pixels between a field and what it opens
const MIN_NUMBERS = 7; // of a week
const SUBMITTING_SELECTOR = 'button:not([type]), [type=submit], [type=image]';
let guardedField = null;

// Whether what has come up beside the field since the action began is a calendar or a clock.
async function opensPicker(el) {
  if (el.tagName !== 'INPUT' || !DATE_OR_TIME.test(el.value.trim()) || !changeWatch) return false;
  const stop = performance.now() + MOTION_MS;
  do await nextFrame(STILL_MS);
  while (isMoving(changeWatch) && performance.now() < stop);
  const left = changeWatch.observer.takeRecords();
  if (left.length) changeWatch.take(left);
  const came = changeWatch.records
    .flatMap((record) => [...record.addedNodes])
    .filter((node) => nodeTypeOf(node) === Node.ELEMENT_NODE);
  return [...new Set([...came, ...changeWatch.hidden])].some(
    (one) => one.isConnected && isPicker(one, el),
  );
}

function isPicker(root, el) {
  const numbers = [...allMatches(root, '*')].filter(
    (one) => !one.firstElementChild && /^\s*\d{1,2}\s*$/.test(textContentOf(one)) && isShown(one),
  );
  return numbers.length >= MIN_NUMBERS && numbers.some((one) => isBeside(floatingBox(one), el));
}

// Finds the button by which a calendar or a clock beside a field takes over what was typed there.
function findPickerButton(el) {
  const control = controlOf(el);
  const buttons = visibleMatches(control, 'button, [role=button]').filter(
    (one) => CONFIRMS.test(visibleText(one)) && !isDisabled(one, 'button'),
  );
  foundOption =
    buttons.find((one) => {
      const box = floatingBoxAround(one, control);
      return box !== null && isPicker(box, control);
    }) ?? null;
  return foundOption !== null;
}

// The box above the page that an element stands in.
function floatingBox(el) {
  for (let at = el; at; at = parentElementOf(at))
    if (/absolute|fixed/.test(getComputedStyle(at).position)) return visibleBoxOf(at);
  return null;
}

function isBeside(box, el) {
  const field = boundingBoxOf(el);
  return (
    box !== null &&
    box.x < field.right + PICKER_DISTANCE_PX &&
    box.x + box.width > field.left - PICKER_DISTANCE_PX &&
    box.y < field.bottom + PICKER_DISTANCE_PX &&
    box.y + box.height > field.top - PICKER_DISTANCE_PX
  );
}

// Enter is for the picker: until it is over, no form is sent by it.
function guardEnter(el) {
  const stop = (event) => {
    if (event.type === 'click' && !event.target.closest?.(SUBMITTING_SELECTOR)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const view = windowOf(documentOf(el));
  for (const type of ['click', 'submit']) listenTo(view, type, stop, true);
  guardedField = () => {
    for (const type of ['click', 'submit']) stopListening(view, type, stop, true);
  };
}

function endGuard(el) {
  guardedField?.();
  guardedField = null;
  return el.value;
}

// Dates in other forms than ISO's, for fields that take only their own.

const ISO_PARTS = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?)?$/;
const FORM_LETTERS = /y{2,4}|m{1,2}|d{1,2}/gi;
const MAX_VALUE_LEVELS = 3; // from a field to what also has the value that is sent

const isMarkedInvalid = (el) => ariaOf(controlOf(el), 'invalid') === 'true';

// As the placeholder writes it, as the page's language does, and with the day first.
function dateForms(el, iso) {
  const [, year, month, day, hour, minute] = ISO_PARTS.exec(iso) ?? [];
  if (year === undefined || Number(month) > 12 || Number(day) > 31) return [];
  const control = controlOf(el);
  const time = hour === undefined ? '' : `${hour}:${minute}`;
  const forms = [placeholderForm(control.placeholder ?? '', { year, month, day })].filter(Boolean);
  const date = new Date(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
  );
  const language = rootElementOf(documentOf(el)).lang || navigator.language;
  for (const one of [language, navigator.language]) {
    const numeric = localForm(date, one, time === '' ? {} : { hour: 'numeric', minute: '2-digit' });
    if (numeric) forms.push(numeric);
  }
  const dotted = [`${day}.${month}.${year}`, time].filter(Boolean).join(' ');
  if (/^\d{1,2}\.\d{1,2}\.\d{4}/.test(control.value ?? '')) forms.unshift(dotted);
  forms.push(dotted);
  forms.push([`${day}/${month}/${year}`, time].filter(Boolean).join(' '));
  return [...new Set(forms)];
}

function localForm(date, language, time) {
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', ...time };
    return date.toLocaleString(language, parts).replace(/[\u202f\u00a0]/g, ' ');
  } catch {
    return ''; // no such language
  }
}

// A placeholder of letters for numbers, such as DD.MM.YYYY; '' for another one.
function placeholderForm(placeholder, { year, month, day }) {
  const letters = placeholder.replace(/[\s./-]/g, '');
  if (!/^(?=.*y)(?=.*m)(?=.*d)[ymd]+$/i.test(letters)) return '';
  return placeholder.replace(FORM_LETTERS, (part) => {
    if (/y/i.test(part)) return part.length === 2 ? year.slice(2) : year;
    const number = /m/i.test(part) ? month : day;
    return part.length === 1 ? String(Number(number)) : number;
  });
}

// Whether a date has dots and the day first, as all that are written with dots.
const isDotted = (text, { month, day }) => {
  const [, first, second] = /^(\d{1,2})\.(\d{1,2})\.\d{4}/.exec(text.trim()) ?? [];
  return first !== undefined && Number(first) === Number(day) && Number(second) === Number(month);
};

// Whether a field holds a date: as the value that is sent says; without one, as it is written, unless day and month may
// have been taken for each other.
function meansDate(el, iso) {
  const control = controlOf(el);
  const [, year, month, day] = ISO_PARTS.exec(iso) ?? [];
  let around = control;
  for (let level = 0; around && level < MAX_VALUE_LEVELS; level++) {
    around = composedParentOf(around);
    const sent = around && [...allMatches(around, 'input[type=hidden], input[type=date]')];
    const dates = sent
      ? sent.map((one) => one.value).filter((value) => /^\d{4}-\d\d-\d\d/.test(value))
      : [];
    if (dates.length > 0) return dates.some((value) => value.startsWith(`${year}-${month}-${day}`));
  }
  const numbers = numbersIn(control.value ?? '');
  const named = /\p{L}{3}/u.test(control.value ?? '') ? monthIn(control.value) : null;
  if (named !== null && named.month !== Number(month)) return false;
  const isClear =
    Number(day) > 12 ||
    Number(day) === Number(month) ||
    /\p{L}{3}/u.test(control.value ?? '') ||
    isDotted(control.value ?? '', { month, day }) ||
    Boolean(placeholderForm(control.placeholder ?? '', { year, month, day }));
  return (
    isClear &&
    numbers.has(Number(day)) &&
    [...numbers].some((one) => one % 100 === Number(year) % 100)
  );
}

Object.assign(globalThis.openchrome, {
  opensPicker,
  guardEnter,
  endGuard,
  findPickerButton,
  dateForms,
  isMarkedInvalid,
  meansDate,
});
