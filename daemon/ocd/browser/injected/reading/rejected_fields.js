// Fields that a page which came in answer to a form marks as wrong, and what it says of each.

const MAX_REJECTED = 5;
const MAX_REASON = 200; // characters
const REASON_SELECTOR = '[class*=error i], [class*=invalid i]';
const MAX_STEPS_TO_REASON = 4;
const MAX_REASONS = 200; // elements that are looked at

const isSeen = (el) => visibleBoxOf(el) !== null && isShown(el);

const describeField = (el, more) => {
  const role = roleOf(el) || el.tagName.toLowerCase();
  return { ref: `e${refOf(el)}`, role, name: clip(nameOf(el, role)), ...more };
};

// The field that an error stands at: the only one of the nearest box around both.
function fieldOfReason(reason) {
  let at = shownParentOf(reason);
  for (let steps = 0; at && steps < MAX_STEPS_TO_REASON; at = shownParentOf(at), steps++) {
    const fields = [...allMatches(at, ENTRY_FIELDS)].filter(isSeen);
    if (fields.length) return fields.length === 1 ? fields[0] : null;
  }
  return null;
}

const isSetInvalid = (el) => {
  const state = getAttributeOf(el, 'aria-invalid');
  return state !== null && state !== '' && state !== 'false';
};

// What the page says is wrong, by the field that it is said of.
function reasonsByField() {
  const reasons = new Map();
  const marked = [...allMatches(document, REASON_SELECTOR)].slice(0, MAX_REASONS);
  for (const el of marked) {
    if (el.matches(ENTRY_FIELDS) || containsField(el)) continue;
    const words = isErrorText(el) && isSeen(el) ? squeeze(visibleTextOf(el, MAX_INDENTED)) : '';
    const field = words && fieldOfReason(el);
    if (field && !reasons.has(field)) reasons.set(field, words);
  }
  return reasons;
}

function rejectedFields() {
  const reasons = reasonsByField();
  const stated = [...allMatches(document, '[aria-invalid]')].filter(isSetInvalid);
  return [...new Set([...stated, ...reasons.keys()])]
    .filter(isSeen)
    .sort((one, other) => (isBefore(one, other) ? -1 : 1))
    .slice(0, MAX_REJECTED)
    .map((el) => {
      const why = errorMessageOf(el) || reasons.get(el) || ariaDescriptionOf(el);
      const field = describeField(el, { message: clip(why, MAX_REASON) });
      return { ...field, name: field.name || clip(labelBesideOf(el)) };
    });
}
