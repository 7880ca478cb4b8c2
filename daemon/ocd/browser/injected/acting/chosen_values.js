// What a field of several values shows as chosen, most often on a label each, and what takes one of them away.

let foundRemover = null; // where what was found is no option
const MAX_REMOVER_PX = 48; // in either direction
const MAX_FRAME_STEPS = 5; // from a field to the box that is drawn around it
const REMOVES =
  /remove|delete|deselect|unselect|dismiss|close(?!d|st)|clear(?!fix)|cancel|\btimes\b|\bcross\b/i;
const CROSS = /^["']?[×✕✖✗✘⨯⨉x]["']?$/i;
const POSSIBLE_REMOVERS = 'button, a, i, svg, span, x, [role=button], [role=img]';
const MAX_AREA_ELEMENTS = 300; // that are looked through, of a part of the page around a field
const MAX_TOKEN_TEXT = 500; // characters, with what removes it
const GONE_MS = 500;
const MORE = /^(?:\+ ?\d+|\d+ ?\+? ?(?:more|others?))\b/i; // what stands for values that do not show
const MAX_OWN_BOXES = 7;
const MULTIPLE_CLASS = /(?:^|[-_\s])(?:multi(?:ple|select)?|tagbox)(?:$|[-_\s])/i;

const attributeWords = (el) =>
  [...attributesOf(el)]
    .filter(({ name }) => /^(?:aria-label|title|class|data-.*)$/.test(name))
    .map(({ value }) => value)
    .join(' ');

const showsCross = (el) =>
  ['::before', '::after'].some((part) => CROSS.test(getComputedStyle(el, part).content));

// Whether an element takes away what stands beside it, as its words or its sign tell.
function isRemover(el) {
  const box = visibleBoxOf(el);
  if (!box || box.width > MAX_REMOVER_PX || box.height > MAX_REMOVER_PX) return false;
  const text = squeeze(textContentOf(el));
  if (!text || CROSS.test(text))
    return REMOVES.test(attributeWords(el)) || CROSS.test(text) || showsCross(el);
  return /^(?:BUTTON|A)$/.test(tagOf(el)) && REMOVES.test(`${attributeWords(el)} ${text}`);
}

// What does another thing than that, whatever it shows: a box ticked with a cross.
const OTHER_CONTROLS = '[role=checkbox], [role=switch], [role=radio], [role=tab], [role=slider]';
const removersIn = (area) =>
  [...allMatches(area, POSSIBLE_REMOVERS)]
    .slice(0, MAX_AREA_ELEMENTS)
    .filter((one) => closestMatch(one, OTHER_CONTROLS) === null && isRemover(one));

// The words of a label, but for those of what removes it, and what stands before the next.
function tokenName(el) {
  let words = textContentOf(el);
  const unread = [...removersIn(el), ...allMatches(el, 'title')]; // those of drawings are no words beside them
  for (const one of unread) words = words.replace(textContentOf(one), ' ');
  return squeeze(words).replace(/ ?[,;]$/, '');
}

const elementsIn = (areas) =>
  areas.flatMap((area) => [area, ...allMatches(area, '*')].slice(0, MAX_AREA_ELEMENTS));

// The parts of the page around a field, as far as to the next field. What holds a shadow tree has nothing of that in
// it, so the outermost parts of the tree stand before it.
function areasAround(control) {
  let inner = control;
  const tops = [];
  for (let steps = 1; steps < MAX_AROUND; steps++) {
    const at = composedParentOf(inner);
    if (!at) break;
    if (PAGE_TAGS.has(tagOf(at)) || hasOtherField(at, control))
      return [...tops, inner, ...visibleNeighboursOf(inner, control)];
    if (!parentElementOf(inner)) tops.push(inner, ...visibleNeighboursOf(inner, control));
    inner = at;
  }
  return [...tops, inner];
}

const isDrawn = (color) => !/^(?:transparent$|rgba\(.*, 0\)$)/.test(color);

function hasFrame(el) {
  const style = getComputedStyle(el);
  return (
    (parseFloat(style.borderBottomWidth) > 0 && isDrawn(style.borderBottomColor)) ||
    style.boxShadow !== 'none'
  );
}

// What is drawn around a field that has no frame of its own; null for one that has.
function boxAround(control) {
  if (hasFrame(control)) return null;
  let last = null;
  let at = composedParentOf(control);
  for (let steps = 0; at && steps < MAX_FRAME_STEPS && !PAGE_TAGS.has(tagOf(at)); steps++) {
    if (hasOtherField(at, control)) break;
    last = at;
    const covers = [...at.children].some((one) => tagOf(one) === 'FIELDSET' && hasFrame(one));
    if (covers || hasFrame(at)) return at;
    at = composedParentOf(at);
  }
  return isSearchField(control) ? null : last; // beside a search there may be what filters its results
}

// What a field that is kept for the control's form says of the labels beside it: the words of each, with commas
// between them. That of another form may have the same words as the page around the control.
function keptValues(control, areas) {
  const [own] = areas; // those beside it may be other fields
  for (const one of [previousElementSiblingOf(own), ...allMatches(own, 'input')]) {
    if (!one || tagOf(one) !== 'INPUT' || one === control || one.type !== 'text') continue;
    if (one.form !== control.form || (one.tabIndex >= 0 && isShown(one))) continue;
    const names = one.value.split(',').map(squeeze).filter(Boolean);
    const tokens = names.map((name) => ({
      name,
      token: showing(control, areas, normalizeText(name)),
    }));
    if (tokens.length && tokens.every(({ token }) => token)) return tokens;
  }
  return [];
}

const isLabelOf = (el, control) =>
  closestMatch(el, 'label, legend') !== null ||
  elementsByIds(control, 'aria-labelledby').some((one) => nodeContains(one, el));

// Labels with something that removes them: pairs of both.
function removableTokens(control, areas) {
  const list = popupsOf(control);
  const found = new Map();
  for (const remover of areas.flatMap(removersIn)) {
    let at = composedParentOf(remover);
    while (at && !nodeContains(at, control) && !tokenName(at)) at = composedParentOf(at);
    const fits =
      at &&
      !found.has(at) &&
      !nodeContains(at, control) &&
      areas.some((area) => nodeContains(area, at)) &&
      !isLabelOf(at, control) &&
      !list.some((one) => nodeContains(one, at));
    if (fits) found.set(at, remover);
  }
  return [...found];
}

// What of a box can be clicked to open its list: not what would remove one of its values.
function besideTokens(box, control) {
  const at = box && visibleBoxOf(box);
  const hit = at && topElementAt(documentOf(box), at.x + at.width / 2, at.y + at.height / 2);
  const tokens = hit ? removableTokens(control, [box]).map(([token]) => token) : [];
  if (!tokens.some((token) => nodeContains(token, hit))) return box;
  const free = [...allMatches(box, '*')].filter(
    (one) =>
      one !== control &&
      visibleBoxOf(one) &&
      tokens.every((token) => !nodeContains(token, one) && !nodeContains(one, token)),
  );
  return free[free.length - 1] || box;
}

// Whether an element has come, or something into it, since the action began.
const watchedRecords = () => {
  const left = changeWatch ? changeWatch.observer.takeRecords() : [];
  if (left.length) changeWatch.take(left);
  return changeWatch ? changeWatch.records : [];
};
const wasAdded = (el) =>
  watchedRecords().some((record) => [...record.addedNodes].some((node) => nodeContains(node, el)));
const hasCome = (el) =>
  wasAdded(el) || watchedRecords().some((record) => nodeContains(el, record.target));

const haveOneShape = (a, b) =>
  tagOf(a) === tagOf(b) &&
  (tagOf(a) === 'LI' || classesOf(a).some((name) => classesOf(b).includes(name)));

// What shows just one value near a field, within what shows more.
function showing(control, areas, want) {
  const lists = popupsOf(control);
  const box = boxAround(control);
  const offered = choicesOf(control);
  const isOffered = (one) =>
    [...lists, ...offered].some((other) => nodeContains(other, one) || nodeContains(one, other)) ||
    (closestMatch(one, optionSelector()) && !(box && nodeContains(box, one)));
  const like = elementsIn(areas).filter(
    (one) =>
      textContentOf(one).length < MAX_TOKEN_TEXT &&
      normalizeText(tokenName(one)) === want &&
      !nodeContains(one, control) &&
      !isLabelOf(one, control) &&
      tagOf(one) !== 'OPTION' &&
      !isOffered(one) &&
      visibleBoxOf(one),
  );
  return like[0] || null; // the outermost
}

// Labels of the same kind as those of values that were asked for: in the field's own box, or come with these.
function tokensLike(control, areas, wanted) {
  const box = boxAround(control);
  for (const want of wanted) {
    const one = showing(control, areas, want);
    const kind =
      one &&
      ((box && nodeContains(box, one)) || hasCome(one)) &&
      [...parentElementOf(one).children].filter(
        (other) => haveOneShape(one, other) && visibleBoxOf(other) && !nodeContains(other, control),
      );
    if (kind) return kind;
  }
  return [];
}

// Several values in one text, one of which was asked for, and has just come.
function valuesInText(control, areas, wanted) {
  const texts = elementsIn(areas)
    .filter(
      (one) =>
        !one.firstElementChild &&
        !nodeContains(control, one) &&
        !isLabelOf(one, control) &&
        hasCome(one),
    )
    .map((one) => squeeze(textContentOf(one)));
  const split = texts.map((text) => text.split(/[,;]/).map(squeeze).filter(Boolean));
  return (
    split.find(
      (parts) => parts.length > 1 && parts.some((one) => wanted.has(normalizeText(one))),
    ) || []
  );
}

// Whether one value is all that a button with a list says: it has no others, whatever stands beside it.
const showsAlone = (control, values) =>
  values.length === 1 &&
  kindOf(control) === 'custom' &&
  normalizeText(visibleText(control)) === normalizeText(values[0]) &&
  !takesSeveral(control);

// The list of one value that nobody reaches and that stands in what is drawn around it: it holds what was chosen there.
function listWithin(control) {
  const [list, ...others] = tagOf(control) === 'SELECT' ? [] : allMatches(control, 'select');
  const isOwn = list && !others.length && !list.multiple;
  return isOwn && (list.tabIndex < 0 || isSetAside(list)) ? list : null;
}

const optionsHeld = (list) =>
  [...list.selectedOptions].map((one) => ({
    name: squeeze(one.label || one.text),
    value: one.value,
  }));

// The values that a field shows as chosen: { name, value, token, remover }, as far as there is each of these.
function chosenValues(control, values) {
  const within = listWithin(control);
  if (within) return optionsHeld(within);
  const wanted = new Set(values.map(normalizeText));
  const areas = areasAround(control);
  const list = standsForList(control);
  if (list === null && showsAlone(control, values)) return [{ name: values[0] }];
  const box = boxAround(control);
  const searches = isSearchField(control);
  const removable = removableTokens(control, box ? [box] : searches && !list ? [] : areas).filter(
    ([token]) => !saysSeveral(token, control),
  );
  let tokens = removable.map(([token, remover]) => ({ name: tokenName(token), token, remover }));
  if (list)
    return [...list.selectedOptions].map((option) => {
      const name = squeeze(option.label || option.text);
      const token = tokens.find((one) => normalizeText(one.name) === normalizeText(name));
      return { value: option.value, name, ...token };
    });
  const add = (one) => {
    const isThere = ({ token }) => nodeContains(token, one.token) || nodeContains(one.token, token);
    if (!tokens.some(isThere)) tokens.push(one);
  };
  keptValues(control, areas).forEach(add);
  tokensLike(control, areas, wanted).forEach((token) => add({ name: tokenName(token), token }));
  tokens = tokens.filter(({ name }) => !MORE.test(name) && !isCount(name, control));
  const names = new Set(tokens.map(({ name }) => normalizeText(name)));
  const chosen = choicesOf(control).filter(isSelected).map(valueOfOption);
  if (takesSeveral(control) || tokens.length)
    tokens.push(...chosen.filter(({ name }) => !names.has(normalizeText(name))));
  const beside = namesBeside(control, tokens);
  tokens.push(...(chosen.length ? beside : beside.filter(wasHeldBy(control))));
  if (tokens.length || searches) return tokens;
  return valuesInText(control, areas, wanted).map((name) => ({ name }));
}

// Whether a label says options of the list and more, as one text: what removes it empties the field.
function saysSeveral(token, control) {
  const words = ` ${wordsOf(spacedTextOf(token)).join(' ')} `;
  const options = [
    ...choicesOf(control).map(visibleText),
    ...(hasOpened(control) ? optionTexts : []),
  ];
  const names = new Set(options.map((text) => wordsOf(text).join(' ')).filter(Boolean));
  return !names.has(words.trim()) && [...names].some((name) => words.includes(` ${name} `));
}

// Whether a label beside an open list says how many of its options are chosen.
const isCount = (name, control) =>
  /^\(?\d{1,4}\)?$/.test(name) &&
  choicesOf(control).length > 0 &&
  !choicesOf(control).some((one) => visibleText(one) === name);

// The names that a control has held since the document was loaded: where a long list shows none of what is chosen, its
// text alone tells whether it still holds them.
const namesHeld = new WeakMap();
const wasHeldBy =
  (control) =>
  ({ name }) =>
    namesHeld.get(control)?.has(normalizeText(name)) === true;

// Those that the control's own text has beside all that its list shows as chosen: long lists draw only what is in sight.
function namesBeside(control, tokens) {
  const parts = squeeze(textContentOf(control))
    .split(/ ?[,;] ?/)
    .filter(Boolean);
  const said = new Set(parts.map(normalizeText));
  const known = new Set(tokens.map(({ name }) => normalizeText(name)));
  if (!scrollerOf(choicesOf(control)) || [...known].some((name) => !said.has(name))) return [];
  return parts
    .filter((name) => !known.has(normalizeText(name)) && !MORE.test(name))
    .map((name) => ({ name }));
}

const valueOfOption = (one) => ({
  name: visibleText(one),
  value: one.getAttribute('data-value') || one.getAttribute('value') || '',
});

// Whether a chosen value is one of these, by its words, by what the form sends, or by the option that stood for it.
function isAmong(values) {
  const wanted = new Set(values.map(normalizeText));
  for (const value of [...wanted])
    if (optionsChosen.has(value)) wanted.add(optionsChosen.get(value));
  return ({ name, value }) =>
    wanted.has(normalizeText(name)) || (Boolean(value) && wanted.has(normalizeText(value)));
}

// Whether a field says by itself, before anything is done with it, that it holds several values.
function holdsSeveral(control) {
  if (!/^(?:text|combo|custom)$/.test(kindOf(control)) || listWithin(control)) return false;
  if (standsForList(control) || [...ownBoxes(control), ...popupsOf(control)].some(isOfSeveral))
    return true;
  const box = boxAround(control);
  return (
    (box !== null && removableTokens(control, [box]).length > 0) ||
    keptValues(control, areasAround(control)).length > 0
  );
}

const isOfSeveral = (el) =>
  el.getAttribute('aria-multiselectable') === 'true' ||
  MULTIPLE_CLASS.test(getAttributeOf(el, 'class') ?? '');

// A field's own elements, which may tell of several values: it, and what is around it alone.
function ownBoxes(control) {
  const boxes = [control];
  for (let at = composedParentOf(control); at && boxes.length < MAX_OWN_BOXES;) {
    if (PAGE_TAGS.has(tagOf(at)) || tagOf(at) === 'FORM' || hasOtherField(at, control)) break;
    boxes.push(at);
    at = composedParentOf(at);
  }
  return boxes;
}

// Of several values those that a field does not show, and what it shows besides. fresh: what has come since the action
// began may show a value in words of its own (`renamed`).
function compareChosen(el, values, fresh = false) {
  const chosen = chosenValues(controlOf(el), values);
  const before = namesHeld.get(controlOf(el)) ?? [];
  namesHeld.set(
    controlOf(el),
    new Set([...before, ...chosen.map(({ name }) => normalizeText(name))]),
  );
  const missing = values.filter((value) => !chosen.some(isAmong([value])));
  const others = chosen.filter((one) => !isAmong(values)(one));
  const came = others.filter(({ token }) => fresh && token && wasAdded(token));
  const renamed = came.length <= missing.length ? came : [];
  return {
    missing: missing.slice(renamed.length),
    others: others.filter((one) => !renamed.includes(one)).map(({ name }) => name),
    held: chosen.map(({ name }) => name),
    renamed: renamed.map(({ name }) => name),
    known: chosen.length > 0 || standsForList(controlOf(el)) !== null,
  };
}

// Finds what removes a value that was not asked for; `label`: its label itself.
function findRemover(el, values, label) {
  const control = controlOf(el);
  const wanted = isAmong(values);
  const others = chosenValues(control, values).filter((one) => !wanted(one));
  const areas = label ? areasAround(control) : [];
  foundOption =
    others
      .map((one) =>
        label ? one.token || showing(control, areas, normalizeText(one.name)) : one.remover,
      )
      .find(Boolean) || null;
  foundRemover = foundOption;
  return foundOption !== null;
}

// Waits until a field shows fewer values than it held.
async function otherValuesAfter(el, values, held) {
  const stop = performance.now() + GONE_MS;
  for (;;) {
    const found = compareChosen(el, values);
    if (found.held.length < held.length || performance.now() >= stop || !areScriptsEnabled())
      return found;
    await nextFrame();
  }
}

// What a field shows as chosen, once that is all of the values: pages draw anew what was chosen a moment later.
async function valuesOnceShown(el, values) {
  const stop = performance.now() + GONE_MS;
  for (;;) {
    const { missing, held } = compareChosen(el, values);
    if (!missing.length || performance.now() >= stop || !areScriptsEnabled()) return held;
    await nextFrame();
  }
}

// The texts around a field, without those of its list: what changes as a value is taken away.
function wordsAround(el) {
  const control = controlOf(el);
  return areasAround(control)
    .map((area) => textsAround(area, control, popupsOf(control)[0]))
    .join('\n');
}

Object.assign(globalThis.openchrome, {
  holdsSeveral: (el) => holdsSeveral(controlOf(el)),
  compareChosen,
  findRemover,
  otherValuesAfter,
  valuesOnceShown,
  wordsAround,
});
