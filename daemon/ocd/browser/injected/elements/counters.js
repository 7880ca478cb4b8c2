// CSS counters: the numbers that ::before and ::after show. Nothing in a page tells them, so they are
// counted here, as the style sheets say.

const MAX_COUNTING = 2000; // elements of a document that are asked what they count
const COUNTS = /counters?\(/;
const GIVEN_COUNTERS = '[style*="counter-"]';
const ROMAN_NUMERALS = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});
const MAX_ROMAN = 3999;

function toRoman(value) {
  if (value < 1 || value > MAX_ROMAN) return String(value);
  let text = '';
  let rest = value;
  for (const [sign, worth] of ROMAN_NUMERALS) for (; rest >= worth; rest -= worth) text += sign;
  return text;
}

function toLetters(value) {
  if (value < 1) return String(value);
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

function formatCounter(value, style) {
  const [, capital, kind] = /^(?:(lower|upper)-)?(.*)$/.exec(style);
  const text =
    kind === 'roman'
      ? toRoman(value)
      : kind === 'alpha' || kind === 'latin'
        ? toLetters(value)
        : style === 'none'
          ? ''
          : style === 'decimal-leading-zero' && value >= 0 && value < 10
            ? `0${value}`
            : String(value);
  return capital === 'upper' ? text.toUpperCase() : text;
}

// What `counter(name, style)` or `counters(name, "between", style)` shows, by the values of each name.
function counterText(func, args, values) {
  const parts = [...args.matchAll(/"((?:[^"\\]|\\.)*)"?|[^\s,"]+/g)];
  const nested = func === 'counters';
  const name = parts[0]?.[0];
  if (!values || name === 'list-item') return ''; // that one the browser counts by itself
  const counted = values.get(name) ?? [0];
  const style = parts[nested ? 2 : 1]?.[0] ?? 'decimal';
  return nested
    ? counted.map((value) => formatCounter(value, style)).join(unescapeCss(parts[1]?.[1] ?? ''))
    : formatCounter(counted.at(-1), style);
}

// The counters of a document on the way through it: each holds for the siblings that follow the element
// which it was set on, and for all in those.
class CounterScopes {
  constructor() {
    this.scopes = new Map(); // by name, innermost last: [the element in which it holds, its value]
  }

  at(name, el) {
    const stack = this.scopes.get(name) ?? [];
    this.scopes.set(name, stack);
    while (stack.length && stack.at(-1)[0] !== null && !nodeContains(stack.at(-1)[0], el))
      stack.pop();
    return stack;
  }

  // The counters that the style of an element, or of a part of it, sets. parent: where they hold.
  apply({ counterReset, counterIncrement, counterSet }, el, parent) {
    for (const [name, value] of countersIn(counterReset, 0)) {
      const stack = this.at(name, el);
      if (stack.length && stack.at(-1)[0] === parent) stack.pop();
      stack.push([parent, value]);
    }
    for (const [name, value] of countersIn(counterIncrement, 1))
      this.innermost(name, el, parent)[1] += value;
    for (const [name, value] of countersIn(counterSet, 0))
      this.innermost(name, el, parent)[1] = value;
  }

  innermost(name, el, parent) {
    const stack = this.at(name, el);
    if (!stack.length) stack.push([parent, 0]);
    return stack.at(-1);
  }

  valuesAt(el) {
    const values = new Map();
    for (const name of this.scopes.keys()) {
      const stack = this.at(name, el);
      if (stack.length)
        values.set(
          name,
          stack.map(([, value]) => value),
        );
    }
    return values;
  }
}

function countersIn(list, otherwise) {
  if (!list || list === 'none') return [];
  return [...list.matchAll(/([^\s()]+)(?:\s+(-?\d+))?/g)].map(([, name, value]) => [
    name,
    value === undefined ? otherwise : Number(value),
  ]);
}

// By element and pseudo-element, the values of the counters there; empty where there are too many.
const counterValuesIn = oncePerTurn((doc) => {
  const found = new Map();
  const lists = sheetsIn(doc).map(countingSelectorsOf);
  const selectors = [...new Set(lists.filter((list) => list !== null).flat()), GIVEN_COUNTERS];
  const elements = elementsMatchingAny(doc, selectors);
  if (elements === null || elements.size > MAX_COUNTING) return found;
  const scopes = new CounterScopes();
  const open = []; // elements whose ::after is still to come
  const addPart = (el, pseudo) => {
    const style = getComputedStyle(el, pseudo);
    if (style.content === 'none' || style.content === 'normal') return;
    scopes.apply(style, el, el);
    if (COUNTS.test(style.content))
      found.set(el, { ...found.get(el), [pseudo]: scopes.valuesAt(el) });
  };
  for (const el of elements) {
    if (!checkVisibilityOf(el)) continue;
    while (open.length && !nodeContains(open.at(-1), el)) addPart(open.pop(), '::after');
    scopes.apply(getComputedStyle(el), el, parentElementOf(el));
    addPart(el, '::before');
    open.push(el);
  }
  while (open.length) addPart(open.pop(), '::after');
  return found;
});
