// Whether a field holds what it was given, once the page has done with it: pages format what is typed, but they also
// cut it, leave out what they do not take, and put back what was there.

const DATE_LIKE = /^(?:[\d\s:/.\-T]|, )+(?:[ap]\.?m\.?)?$/i;
const DIGITS_ONLY = /^[\d\s:/.-]*$/;
const bareText = (text) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
const numbersIn = (text) => new Set((text.match(/\d+/g) || []).map(Number));

function numberIn(text) {
  const bare = text
    .replace(/[^\d.,-]/g, '')
    .replace(/,(?=\d{3}(?!\d))/g, '')
    .replace(',', '.');
  return bare && !/\p{L}/u.test(text) ? Number(bare) : NaN;
}

// Whether the characters of one text are in another one, in their order: what formats a text only adds to it.
function isSubsequence(part, whole) {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at += 1;
  return at >= part.length;
}

// Of a date or a time, numbers that may mean the same: years of two digits, hours to twelve.
const meansSame = (a, b) =>
  a === b || Math.abs(a - b) === 12 || (Math.max(a, b) > 999 && a % 100 === b % 100);

// Whether a date or a time may be the one that was given, in another form: it has all of its numbers, or no others. What
// was cut off its end is none.
function isSameDate(given, held, [asked, got]) {
  if (DIGITS_ONLY.test(held) && got.length < asked.length && asked.startsWith(got)) return false;
  const [wanted, there] = [[...numbersIn(given)], [...numbersIn(held)]];
  const isAmong = (all) => (one) => all.some((other) => meansSame(one, other));
  return there.length > 0 && (wanted.every(isAmong(there)) || there.every(isAmong(wanted)));
}

// `before`: what the field held before it was given this.
function holdsGiven(given, held, before) {
  const [asked, got] = [bareText(given), bareText(held)];
  if (!given.trim()) return got === '' || numberIn(held) === 0;
  if (held.includes(given.trim()) || (asked && asked === got) || numberIn(given) === numberIn(held))
    return true;
  if (!held || held === before) return false;
  if (!asked) return true;
  return (
    isSubsequence(asked, got) ||
    (DATE_LIKE.test(given.trim()) && isSameDate(given, held, [asked, got]))
  );
}

function textHeld(control) {
  if (takesCode(control)) return null; // of a long text it shows a part
  if (/^(?:INPUT|TEXTAREA)$/.test(control.tagName)) return control.value;
  return control.isContentEditable ? editorLines(control).join('\n') : null;
}

// What an element holds in place of what it was given: `state` as stateOf says it, `text`, or `typed` into what it held.
// null if it is that, or if nobody can tell.
// records: what has changed in the page since.
function differingValue(el, { state, text, typed }, before, records = []) {
  const control = controlOf(el);
  if (!isPresent(control)) return null;
  if (state !== undefined) {
    const now = stateOf(el.tagName === 'OPTION' ? el.closest('select') : el);
    return JSON.stringify(now) === JSON.stringify(state) ? null : { held: now };
  }
  if (typed !== undefined && !hasFocus(el)) return null; // such fields hand on what they get
  const [given, held] = [text ?? typed, textHeld(substituteOf(control) ?? control)];
  if (held === null) return null;
  if (control.type === 'password')
    return held === given || (typed !== undefined && held.endsWith(given))
      ? null
      : { held: held && '(filled)' };
  if (
    holdsGiven(given, held, before) ||
    (typed !== undefined && isPassedOn(el, typed, held, records))
  )
    return null;
  return { held: clip(held, 500) };
}

const ENDING_SEPARATOR = /(?<=\S)[,;\s]$/;
const passedOn = new WeakMap(); // the text that was typed into each field that hands it on

// Whether the page takes what is typed out of the field and shows it elsewhere: terminals do so with each key, fields of
// several values once a separator ends one of them.
function isPassedOn(el, typed, held, records) {
  if (!typed.endsWith(held)) return false;
  const shown = typed.replace(ENDING_SEPARATOR, '');
  if (records.some(({ target }) => (target.data ?? textContentOf(target)).includes(shown)))
    passedOn.set(el, typed);
  return passedOn.get(el) === typed;
}

// Whether a field has nothing of the text that was put into it, and the page has made nothing else of it.
function ignoredText(el) {
  if (!changeWatch || textHeld(controlOf(el)) !== '') return false;
  return !watchedRecords().some((record) => record.addedNodes.length);
}

Object.assign(globalThis.openchrome, { ignoredText });
