// Fields with a calendar or a clock of their own, which takes what is typed only when it is told to.

const DATE_OR_TIME = /^\d{1,4}(?:[-/.:\u2013 ]\d{1,4}){1,5}(?: ?[ap]m)?$/i;
const BESIDE_PX = 80; // pixels between a field and what it opens
const MIN_NUMBERS = 7; // of a week
const SENDS = 'button:not([type]), [type=submit], [type=image]';
let guardedField = null;

// Whether what has come up beside the field since the action began is a calendar or a clock.
async function opensPicker(el) {
  if (el.tagName !== 'INPUT' || !DATE_OR_TIME.test(el.value.trim()) || !watched) return false;
  const stop = performance.now() + MOTION_MS;
  do await nextFrame(STILL_MS); while (isMoving(watched) && performance.now() < stop);
  const left = watched.observer.takeRecords();
  if (left.length) watched.take(left);
  const came = watched.records.flatMap((record) => [...record.addedNodes]).filter((node) => typeOf(node) === Node.ELEMENT_NODE);
  return [...new Set([...came, ...watched.hidden])].some((one) => one.isConnected && isPicker(one, el));
}

function isPicker(root, el) {
  const numbers = [...allMatches(root, '*')].filter((one) => !one.firstElementChild && /^\s*\d{1,2}\s*$/.test(contentIn(one)) && isShown(one));
  return numbers.length >= MIN_NUMBERS && numbers.some((one) => isBeside(floatingBox(one), el));
}

// The box above the page that an element stands in.
function floatingBox(el) {
  for (let at = el; at; at = parentIn(at)) if (/absolute|fixed/.test(getComputedStyle(at).position)) return seenBox(at);
  return null;
}

function isBeside(box, el) {
  const field = boxIn(el);
  return box !== null && box.x < field.right + BESIDE_PX && box.x + box.width > field.left - BESIDE_PX
    && box.y < field.bottom + BESIDE_PX && box.y + box.height > field.top - BESIDE_PX;
}

// Enter is for the picker: until it is over, no form is sent by it.
function guardEnter(el) {
  const stop = (event) => {
    if (event.type === 'click' && !event.target.closest?.(SENDS)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const view = windowOf(ownerIn(el));
  for (const type of ['click', 'submit']) listenTo(view, type, stop, true);
  guardedField = () => { for (const type of ['click', 'submit']) stopListening(view, type, stop, true); };
}

function endGuard(el) {
  guardedField?.();
  guardedField = null;
  return el.value;
}

Object.assign(globalThis.openchrome, { opensPicker, guardEnter, endGuard });
