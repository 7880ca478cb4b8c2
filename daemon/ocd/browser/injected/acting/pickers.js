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

Object.assign(globalThis.openchrome, { opensPicker, guardEnter, endGuard });
