// Calendars that are clicked, for fields that nobody can type into: which month they show, where a day of it stands,
// and what leads to other months.

const MIN_DAYS = 26; // numbers in a calendar's grid
const MAX_CELL_LEVELS = 2; // from a number to what says its date
const MAX_GRID_LEVELS = 6; // from a number to the grid of its month
const MAX_HEAD_LEVELS = 5; // from a grid to what also holds the name of its month
const MAX_RANGE_LEVELS = 4; // from one field of a range to what also holds the other
const MAX_STEP_PX = 64;
const DAY_TEXT = /^\s*\d{1,2}\s*$/;
const NEXT_MARK = /next|forward|(?:^|[-_\s])right(?:$|[-_\s])|[›»>]\s*$/i;
const PREVIOUS_MARK = /prev|(?:^|[-_\s])back(?:$|[-_\s])|(?:^|[-_\s])left(?:$|[-_\s])|^\s*[‹«<]/i;
const YEAR_STEP_MARK = /year|decade|super|double|[»«]/i;
const NUMBER_DATE = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const NUMBER_MONTH =
  /(?<!\d)((?:19|20)\d\d)\s*(?:[-/.]|年|년)\s*(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})\s*(?:[-/.]|月|월)\s*((?:19|20)\d\d)(?!\d)/;
const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/;
const MONTH_SIGN = /(?<!\d)(\d{1,2})\s*[月월]/;
const HALF_TEXT = /^\s*[ap]m\s*$/i;
const TIME_MARKS = { hour: /hour/i, minute: /minute/i };
const DATE_ATTRIBUTES =
  /^(?:aria-label|title|datetime|data-(?:date|day|value|iso|timestamp|time))$/;

const monthNames = oncePerTurn((root) => {
  const names = [];
  for (const language of [root.lang, navigator.language, 'en'])
    for (const style of ['long', 'short'])
      for (let month = 0; month < 12; month++) {
        const name = localMonth(language, style, month);
        if (name) names.push([normalizeText(name).replace(/\.$/, ''), month + 1]);
      }
  return names.sort(([one], [other]) => other.length - one.length);
});

function localMonth(language, style, month) {
  try {
    return new Date(2024, month, 15).toLocaleString(language || 'en', { month: style });
  } catch {
    return ''; // no such language
  }
}

// The month and the year that a text names; null if it does not name both.
function monthIn(text) {
  const low = normalizeText(text);
  const numbers = NUMBER_MONTH.exec(low);
  if (numbers !== null)
    return { year: Number(numbers[1] ?? numbers[4]), month: Number(numbers[2] ?? numbers[3]) };
  const year = YEAR.exec(low);
  if (year === null) return null;
  const words = ` ${wordsOf(low).join(' ')} `;
  const isWord = (name) => words.includes(` ${wordsOf(name).join(' ')} `);
  const named = monthNames(rootElementOf(document)).find(
    ([name]) => !/[\d.()]/.test(name) && isWord(name),
  );
  const month = named ? named[1] : Number(MONTH_SIGN.exec(low)?.[1] ?? 0);
  return month ? { year: Number(year[0]), month } : null;
}

// The date that a day's own attributes tell, or those of what it stands in; null if they tell none.
function dateToldBy(leaf) {
  for (
    let at = leaf, level = 0;
    at && level <= MAX_CELL_LEVELS;
    at = composedParentOf(at), level++
  ) {
    if (level > 0 && !DAY_TEXT.test(textContentOf(at))) return null;
    for (const { name, value } of attributesOf(at)) {
      if (!DATE_ATTRIBUTES.test(name)) continue;
      const numbers = NUMBER_DATE.exec(value);
      if (numbers)
        return { year: Number(numbers[1]), month: Number(numbers[2]), day: Number(numbers[3]) };
      const named = monthIn(value);
      const day = Number(textContentOf(leaf));
      if (named && numbersIn(value).has(day)) return { ...named, day };
    }
  }
  return null;
}

// The numbers of each calendar that has come up since the control was opened, by the grid that they stand in.
function calendarGrids(control) {
  const leaves = visibleMatches(control, '*').filter(
    (one) =>
      !one.firstElementChild &&
      DAY_TEXT.test(textContentOf(one)) &&
      Number(textContentOf(one)) >= 1 &&
      Number(textContentOf(one)) <= 31 &&
      !presentBeforeOpening?.has(one),
  );
  const grids = new Map();
  for (const leaf of leaves) {
    let at = composedParentOf(leaf);
    for (let level = 0; at && level < MAX_GRID_LEVELS && !grids.has(at); level++) {
      if (leaves.filter((one) => nodeContains(at, one)).length >= MIN_DAYS) grids.set(at, []);
      else at = composedParentOf(at);
    }
    grids.get(at)?.push(leaf);
  }
  return [...grids].map(([grid, days]) => ({ grid, days }));
}

// What a calendar says before its first day, with what is set in its fields.
function headText(at, first) {
  const said = [];
  const walker = walkerIn(
    documentOf(at),
    at,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      nodeTypeOf(node) === 1 && (tagOf(node) === 'OPTION' || !mayShow(node))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node === first) break;
    if (nodeTypeOf(node) === 3) said.push(node.data);
    else if (tagOf(node) === 'INPUT') said.push(node.value);
    else if (tagOf(node) === 'SELECT') said.push(node.selectedOptions[0]?.text ?? '');
  }
  return squeeze(said.join(' '));
}

// The month that a grid shows, and the box that has its name and what leads to other months.
function monthOf({ grid, days }) {
  const told = days
    .map(dateToldBy)
    .find((date, at) => date && Number(textContentOf(days[at])) === 15);
  for (
    let at = grid, level = 0;
    at && level < MAX_HEAD_LEVELS;
    at = composedParentOf(at), level++
  ) {
    if (PAGE_TAGS.has(tagOf(at))) break;
    const named = told ?? monthIn(headText(at, days[0]));
    if (named && (told ? stepIn(at, grid, 1, false) : true)) return { ...named, box: at };
  }
  return told ? { ...told, box: composedParentOf(grid) } : null;
}

const stepMark = (el) =>
  `${el.getAttribute('aria-label') ?? ''} ${el.getAttribute('title') ?? ''} ${el.getAttribute('class') ?? ''} ${squeeze(textContentOf(el))}`;

// What leads to the next month (1) or the one before (-1), or by years.
function stepIn(box, grid, way, byYear) {
  const mark = way > 0 ? NEXT_MARK : PREVIOUS_MARK;
  const other = way > 0 ? PREVIOUS_MARK : NEXT_MARK;
  return (
    [...allMatches(box, 'button, a, [role=button], span, div, i')].find((el) => {
      const at = visibleBoxOf(el);
      if (!at || at.width > MAX_STEP_PX || at.height > MAX_STEP_PX || nodeContains(grid, el))
        return false;
      const said = stepMark(el);
      return mark.test(said) && !other.test(said) && YEAR_STEP_MARK.test(said) === byYear;
    }) ?? null
  );
}

const isShutDay = (el) => {
  for (let at = el, level = 0; at && level <= MAX_CELL_LEVELS; at = composedParentOf(at), level++)
    if (
      isMarkedDisabled(at) ||
      at.matches(':disabled') ||
      /(?:^|[-_\s])disabled(?:$|[-_\s])/i.test(at.getAttribute('class') ?? '')
    )
      return true;
  return false;
};

// The element of a day in a grid that shows its month.
function dayIn({ days }, shown, wanted) {
  const isWanted = (date) =>
    date !== null &&
    date.year === wanted.year &&
    date.month === wanted.month &&
    date.day === wanted.day;
  const told = days.find((one) => isWanted(dateToldBy(one)));
  if (told) return told;
  if (!shown || shown.year !== wanted.year || shown.month !== wanted.month) return null;
  const first = days.findIndex((one) => Number(textContentOf(one)) === 1);
  const day = days[first + wanted.day - 1];
  return day && Number(textContentOf(day)) === wanted.day ? day : null;
}

const monthsOf = ({ year, month }) => year * 12 + month;

// Finds the day of a date in the calendar that a control has opened, or what leads to its month.
// Returns what was found: `day`, `step`, or `why` it is not there; {} where no calendar shows.
function findDay(el, year, month, day) {
  const wanted = { year, month, day };
  const shown = calendarGrids(controlOf(el)).map((grid) => ({ grid, month: monthOf(grid) }));
  for (const one of shown) {
    const found = dayIn(one.grid, one.month, wanted);
    if (!found) continue;
    if (isShutDay(found)) return { why: 'not_enabled' };
    foundOption = found;
    return { day: true };
  }
  const named = shown.filter((one) => one.month !== null);
  if (!named.length) return shown.length ? { why: 'no_month' } : {};
  const [first] = named;
  const gap = monthsOf(wanted) - monthsOf(first.month);
  const find = (byYear) =>
    (gap > 0 ? named.toReversed() : named)
      .map(({ grid, month }) => stepIn(month.box, grid.grid, Math.sign(gap), byYear))
      .find((step) => step !== null) ?? null;
  foundOption = (Math.abs(gap) >= 12 ? find(true) : null) ?? find(false);
  return foundOption ? { step: monthsOf(first.month) } : { why: 'no_step' };
}

// Waits for a calendar to show, or another month than the one before; whether it does.
async function waitForMonth(el, before, budget) {
  const stop = performance.now() + budget;
  for (;;) {
    const grids = calendarGrids(controlOf(el));
    const [first] = grids.map(monthOf).filter(Boolean);
    if (first ? monthsOf(first) !== before : grids.length > 0 && before === 0) return true;
    if (performance.now() >= stop || !areScriptsEnabled()) return false;
    await nextFrame();
  }
}

// Finds the field of a calendar in which its hour or minute is set.
function findTimeField(el, kind) {
  foundOption =
    visibleMatches(controlOf(el), 'input').find(
      (one) =>
        !presentBeforeOpening?.has(one) &&
        one !== controlOf(el) &&
        !one.readOnly &&
        TIME_MARKS[kind].test(
          `${one.getAttribute('class') ?? ''} ${getAttributeOf(one, 'aria-label') ?? ''} ${one.name}`,
        ) &&
        floatingBoxAround(one, controlOf(el)) !== null,
    ) ?? null;
  return foundOption !== null;
}

// Finds what says whether an hour is before or after noon, and says it: 'am', 'pm', or '' for a clock of 24 hours.
function findHalf(el) {
  const control = controlOf(el);
  foundOption =
    visibleMatches(control, 'span, button, div').find(
      (one) =>
        HALF_TEXT.test(textContentOf(one)) &&
        !presentBeforeOpening?.has(one) &&
        floatingBoxAround(one, control) !== null,
    ) ?? null;
  return foundOption ? normalizeText(textContentOf(foundOption)) : '';
}

const isReadOnlyField = (el) => {
  const control = controlOf(el);
  return tagOf(control) === 'INPUT' && control.readOnly && !control.matches(':disabled');
};

// Whether a field shows a date that was picked, by its day and its year, or one beside it that ends a range.
function showsPicked(el, year, month, day) {
  const fields = [controlOf(el)];
  for (
    let at = fields[0], level = 0;
    at && level < MAX_RANGE_LEVELS;
    at = composedParentOf(at), level++
  )
    fields.push(...allMatches(at, 'input'));
  return fields.some(({ value }) => {
    const numbers = numbersIn(value);
    return numbers.has(day) && (numbers.has(year) || numbers.has(year % 100) || !YEAR.test(value));
  });
}

// Where the caret is after a key: masks that select a part of their text do so a moment later.
async function caretInMask(el) {
  await nextFrame();
  await nextFrame();
  return controlOf(el).selectionStart;
}

Object.assign(globalThis.openchrome, {
  caretInMask,
  findDay,
  waitForMonth,
  findTimeField,
  findHalf,
  isReadOnlyField,
  showsPicked,
});
