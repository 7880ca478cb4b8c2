// Writing into fields of several parts, or that keys move: groups of radio buttons and of boxes, and sliders.

const CHECKING_MS = 500;
const SLIDER_MS = 200; // a slider that has not followed a key by then does not

// Finds the radio button of a set by its words, its value, the number that its words begin with, or, where
// all are called the same, by its place.
function findRadio(el, value) {
  const radios = radioSet(el);
  const want = normalizeText(value);
  const names = radios.map(radioName);
  const begun = radios.filter(
    (_, at) =>
      want &&
      normalizeText(names[at]).startsWith(want) &&
      !/^[\p{L}\p{N}]/u.test(normalizeText(names[at]).slice(want.length)),
  );
  foundOption =
    radios.find((_, at) => normalizeText(names[at]) === want) ||
    radios.find((radio) => normalizeText(radio.getAttribute('value') || '') === want) ||
    (begun.length === 1 ? begun[0] : null) ||
    (new Set(names).size === 1 && radios[Number(want) - 1]) ||
    null;
  return foundOption
    ? {}
    : { why: 'option_not_found', text: value, options: names, total: names.length };
}

// Finds the first box of a group that is not yet as the values want it, named by words or value; `want`: whether
// it is to be ticked.
function findBox(el, values) {
  const boxes = checkboxSet(el);
  const names = boxes.map(boxName);
  const wanted = new Set();
  for (const value of values) {
    const own = boxes.findIndex((_, at) => normalizeText(names[at]) === normalizeText(value));
    const at =
      own < 0
        ? boxes.findIndex(
            (box) => normalizeText(box.getAttribute('value') || '') === normalizeText(value),
          )
        : own;
    if (at < 0)
      return { why: 'option_not_found', text: value, options: names, total: names.length };
    wanted.add(boxes[at]);
  }
  foundOption = boxes.find((box) => wanted.has(box) !== (stateOf(box) === true)) || null;
  return { total: boxes.length, want: foundOption && wanted.has(foundOption) };
}

const checkedBoxNames = (el) =>
  checkboxSet(el)
    .filter((box) => stateOf(box) === true)
    .map(boxName);

const checkedRadioName = (el) => {
  const radio = radioSet(el).find((one) => stateOf(one) === true);
  return radio ? radioName(radio) : '';
};

const isSlider = (control) =>
  control.tagName !== 'INPUT' &&
  /^(slider|spinbutton)$/.test(roleOf(control)) &&
  ariaOf(control, 'valuenow') !== null;

// The value of a slider as it writes it out, where what it gives for programs is that, rounded.
function sliderValueOf(control) {
  const now = ariaOf(control, 'valuenow');
  const text = ariaOf(control, 'valuetext') ?? '';
  if (!/^-?\d+\.\d+$/.test(text)) return now;
  const digits = /\.(\d*)$/.exec(now)?.[1].length ?? 0;
  return Number(text).toFixed(digits) === Number(now).toFixed(digits) ? text : now;
}

// Where a slider stands: at once, or once keys have taken it from `before` to `expected` (null: anywhere else),
// or it goes no further.
async function sliderState(el, before = null, expected = null) {
  const control = controlOf(el);
  const number = (name, other) => Number(ariaOf(control, `value${name}`) ?? other);
  const arrived = (now) => (expected === null ? now !== before : Math.abs(now - expected) < 1e-6);
  const place = () => Number(sliderValueOf(control));
  let [now, since] = [place(), performance.now()];
  while (
    areScriptsEnabled() &&
    before !== null &&
    !arrived(now) &&
    performance.now() - since < SLIDER_MS
  ) {
    await nextFrame();
    if (place() !== now) [now, since] = [place(), performance.now()];
  }
  return { now, least: number('min', 0), most: number('max', 100) };
}

// Whether a control is checked after a click: some draw it a few frames later.
async function waitChecked(el, want) {
  const stop = performance.now() + CHECKING_MS;
  while (
    isPresent(el) &&
    Boolean(stateOf(el)) !== want &&
    areScriptsEnabled() &&
    performance.now() < stop
  )
    await nextFrame();
  return stateOf(el);
}

Object.assign(globalThis.openchrome, {
  checkedInTime: waitChecked,
  findRadio,
  findBox,
  sliderState,
});
