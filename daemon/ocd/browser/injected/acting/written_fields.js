// Fields that have been written to: whether the browser finds what they hold valid, and whether the page has taken
// it back since. Pages also do that later than a reply waits for: the reply to the next action says so.

const MAX_WRITTEN = 50;
const writtenFields = new Map(); // elements; what each was given, and held before
let revertedFields = [];

// What the browser's bubble says; of a pattern, that is also what the page says of it.
function validityNote(control) {
  const { validationMessage, validity, title } = control;
  const message = validity?.patternMismatch ? `${validationMessage} ${title}` : validationMessage;
  return describeField(control, { message: clip(squeeze(message || ''), 200) });
}

// Whether the browser has something against the value of a control, for which it will not send its form, or the page.
function isInvalid(el) {
  const control = controlOf(el);
  if (control.willValidate !== true || !control.validationMessage) return false;
  const form = formOfControl(control);
  const sent = form !== null && getAttributeOf(form, 'novalidate') === null;
  return sent || control.validity?.customError === true;
}

// A password is not kept: only that the field has one.
function noteWritten(el, given, before) {
  if (!given || !isPresent(el)) return;
  const secret = controlOf(el).type === 'password';
  const held = given.typed === undefined ? given : { text: textHeld(controlOf(el)) };
  writtenFields.delete(el);
  writtenFields.set(el, secret ? { given: { state: stateOf(el) } } : { given: held, before });
  if (writtenFields.size > MAX_WRITTEN) writtenFields.delete(writtenFields.keys().next().value);
}

// Looks for fields that no longer hold what they were given, each of which is told once.
function noteReverted(isTold) {
  for (const [el, { given, before }] of writtenFields) {
    const instead = differingValue(el, given, before);
    if (isPresent(el) && !instead) continue;
    writtenFields.delete(el);
    if (instead && isTold) revertedFields.push([controlOf(el), instead]);
  }
}

// Once an action is over: what it has changed by itself is told as a change, and what does not write may change
// fields as it likes. Returns what was taken back before it began.
function finishWritten(el, given, instead, before) {
  const told = revertedFields.map(([el, { held }]) => describeField(el, { held }));
  revertedFields = [];
  noteReverted(false);
  if (!given) writtenFields.clear();
  else if (!instead) noteWritten(el, given, before);
  return told;
}

Object.assign(globalThis.openchrome, {
  isInvalid,
  differingValue: (el, given) => {
    const instead = differingValue(el, given);
    if (instead) writtenFields.delete(el);
    return instead;
  },
});
