// Codes that are typed into a row of fields, one character each: they are one field, and the first of them is called so.

const CHARACTER_TYPES = /^(?:text|tel|number|password)$/;
const CODE_MARKS = /(?:^|[^a-z])(?:pin|otp|code|passcode|one-time|digits?|verif\w*)(?:[^a-z]|$)/i;
const MIN_CHARACTERS = 3;
const MAX_CHARACTERS = 12;
const MAX_LEVELS_TO_ROW = 4; // from a field to what holds all of the row
const SAME_SIZE_PX = 2;

// The fields of a row, if an element is one of them; else none.
function characterFields(el) {
  if (tagOf(el) !== 'INPUT' || !CHARACTER_TYPES.test(el.type) || el.readOnly) return [];
  let at = composedParentOf(el);
  for (let level = 0; at && level < MAX_LEVELS_TO_ROW; at = composedParentOf(at), level++) {
    if (PAGE_TAGS.has(tagOf(at)) || clobbered(at)) return [];
    const all = [...allMatches(at, HELD_FIELDS)].filter((one) => visibleBoxOf(one) !== null);
    if (all.length > MAX_CHARACTERS) return [];
    if (all.length >= MIN_CHARACTERS) return isCharacterRow(all, at) ? all : [];
  }
  return [];
}

function isCharacterRow(all, around) {
  const first = visibleBoxOf(all[0]);
  const isAlike = (one) => {
    const box = visibleBoxOf(one);
    return (
      tagOf(one) === 'INPUT' &&
      one.type === all[0].type &&
      Math.abs(box.width - first.width) <= SAME_SIZE_PX &&
      Math.abs(box.top - first.top) <= SAME_SIZE_PX
    );
  };
  if (!all.every(isAlike) || /[\p{L}\p{N}]/u.test(visibleTextOf(around, MAX_LABEL))) return false;
  return all.every((one) => one.maxLength === 1) || all.every((one) => isMarkedCode(one, around));
}

const isMarkedCode = (one, around) =>
  one.maxLength <= 1 &&
  [one, around].some((el) =>
    [...attributesOf(el)].some(
      ({ name, value }) =>
        /^(?:class|id|name|autocomplete|aria-label|data-.*)$/.test(name) && CODE_MARKS.test(value),
    ),
  );

// Rows without a name of their own, by the words before them.
function characterRows(asked) {
  const rows = new Set(
    matchesEverywhere({ selector: 'input', pierce: true })
      .map((el) => characterFields(el)[0])
      .filter((first) => first && !nameOf(first, 'textbox') && !labelBesideOf(first)),
  );
  return [...rows]
    .map((el) => {
      const around = characterRowAround(el);
      const name = labelBesideOf(around);
      const score = name ? asked.nameScore(around, 'textbox', name, true) : 0;
      return { el, role: 'textbox', name, acts: true, within: null, score, at: 0 };
    })
    .filter(({ score }) => score > 0);
}

function characterRowAround(el) {
  const all = characterFields(el);
  let at = composedParentOf(el);
  while (!all.every((one) => nodeContains(at, one))) at = composedParentOf(at);
  return at;
}

// Of the fields of a row that are found, the first stands for all.
function dropFurtherCharacters(found) {
  const rows = new Map();
  for (const one of found) {
    const row = one.score >= LIKELY && one.role === 'textbox' ? characterFields(one.el) : [];
    if (row.length > 0) rows.set(one, row[0]);
  }
  const firsts = new Map(
    found.filter(({ el }) => [...rows.values()].includes(el)).map((one) => [one.el, one]),
  );
  for (const [one, first] of rows)
    if (firsts.has(first)) firsts.get(first).score = Math.max(firsts.get(first).score, one.score);
  return found.filter(
    (one) => !rows.has(one) || rows.get(one) === one.el || !firsts.has(rows.get(one)),
  );
}

const charactersIn = (el) =>
  characterFields(el)
    .map((one) => one.value)
    .join('');

// Puts the caret into one field of a row, with what it holds selected.
function focusCharacter(el, at) {
  const field = characterFields(el)[at];
  field.focus({ preventScroll: true });
  if (typeof field.select === 'function') field.select();
}

Object.assign(globalThis.openchrome, { charactersIn, focusCharacter });
