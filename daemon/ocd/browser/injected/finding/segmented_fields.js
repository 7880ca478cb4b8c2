// Dates and times whose parts are typed into one by one: a group of spin buttons, as React Aria and MUI X make them.

const SEGMENT = '[role=spinbutton]:not(input)';
const SEGMENTED = '[role=group], fieldset';
const MIN_SEGMENTS = 2;
// The kind of a part by its name, or by the largest number that it takes.
const SEGMENT_NAMES = [
  ['half', /\b(?:am\/pm|meridiem|day ?period)\b/i],
  ['year', /year/i],
  ['month', /month/i],
  ['day', /\bday\b/i],
  ['hour', /hour/i],
  ['minute', /minute/i],
  ['second', /second/i],
];
const SEGMENT_LIMITS = [
  ['half', 1],
  ['hour', 11],
  ['month', 12],
  ['hour', 24],
  ['day', 31],
  ['minute', 60],
];

function segmentKind(el) {
  const words = `${el.getAttribute('aria-label') || ''} ${el.getAttribute('data-type') || ''}`;
  const [named] =
    SEGMENT_NAMES.find(([, pattern]) => pattern.test(words.replace(/dayPeriod/, 'day period'))) ||
    [];
  const most = Number(el.getAttribute('aria-valuemax') ?? NaN);
  return named || (SEGMENT_LIMITS.find(([, limit]) => most <= limit) || ['year'])[0];
}

// The parts of such a field by kind, if a group is about one date or time; else null.
function segmentsOf(group) {
  if (PAGE_TAGS.has(tagOf(group)) || clobbered(group) || !group.matches(SEGMENTED)) return null;
  const all = [...allMatches(group, SEGMENT)];
  const parts = new Map(all.map((one) => [segmentKind(one), one]));
  const others = [...allMatches(group, ENTRY_FIELDS)].filter(
    (one) => !all.includes(one) && visibleBoxOf(one),
  );
  return all.length >= MIN_SEGMENTS && parts.size === all.length && !others.length ? parts : null;
}

const isSegmented = (el) => segmentsOf(el) !== null;

// Such groups with their names.
const segmentedFields = () =>
  matchesEverywhere({ selector: SEGMENTED, pierce: true })
    .filter((one) => isSegmented(one) && visibleBoxOf(one))
    .map((one) => [one, nameOf(one, roleOf(one))])
    .filter(([, name]) => name);

const segmentedText = (group) =>
  squeeze([...segmentsOf(group).values()].map(spokenSegment).join(' '));
const spokenSegment = (one) =>
  squeeze(textContentOf(one) || one.getAttribute('aria-valuetext') || '');

// The kinds of a field's parts, in their order.
const segmentKinds = (el) => [...segmentsOf(el).keys()];

function focusSegment(el, kind) {
  segmentsOf(el).get(kind).focus({ preventScroll: true });
}

// What a part says now, as a number where it is one.
function segmentValue(el, kind) {
  const part = segmentsOf(el)?.get(kind);
  const text = part ? spokenSegment(part) : '';
  return /^\d+$/.test(text) ? Number(text) : text;
}

Object.assign(globalThis.openchrome, { segmentKinds, focusSegment, segmentValue });
