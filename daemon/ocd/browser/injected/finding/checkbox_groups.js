// Groups of boxes to tick: fields that take a list of those to be ticked.

const CHECKBOX = 'input[type=checkbox], [role=checkbox]';
const CHECKBOX_GROUP = 'fieldset, [role=group]';
const MAX_BESIDE = 1; // other fields of a group: what "Other" is
const ROW_SELECTOR = 'tr, [role=row]';

const fieldName = (box) => box.getAttribute('name') || '';
const boxName = (box) =>
  nameOf(box, 'checkbox') || labelBesideOf(box) || box.getAttribute('value') || '';

// The boxes that an element is about: a group's, or such as have one name; else none.
function checkboxSet(el) {
  if (PAGE_TAGS.has(tagOf(el)) || clobbered(el)) return [];
  const all = [...allMatches(el, CHECKBOX)];
  const boxes = all.filter(
    (one) => !all.some((other) => other !== one && nodeContains(other, one)),
  );
  if (boxes.length < 2 || boxes.some((one) => closestMatch(one, ROW_SELECTOR))) return [];
  const beside = [...allMatches(el, ENTRY_FIELDS)].filter((one) => !all.includes(one));
  if (beside.length > MAX_BESIDE) return [];
  const one =
    el.matches(CHECKBOX_GROUP) ||
    boxes.every((box) => fieldName(box) && fieldName(box) === fieldName(boxes[0]));
  return one ? boxes : [];
}
const isCheckboxSet = (el) => checkboxSet(el).length > 0;

// The innermost groups, and the boxes of one name that none has; with their names, unless a box has that, too.
function checkboxGroups() {
  const marked = matchesEverywhere({ selector: CHECKBOX_GROUP, pierce: true }).filter(
    isCheckboxSet,
  );
  const inner = marked.filter(
    (el) => !marked.some((other) => other !== el && nodeContains(el, other)),
  );
  const inputs = matchesEverywhere({ selector: 'input[type=checkbox][name]', pierce: true });
  const loose = inputs.filter(
    (box) => !closestMatch(box, ROW_SELECTOR) && !marked.some((el) => nodeContains(el, box)),
  );
  const common = [...groupItems(loose, fieldName).values()]
    .filter((boxes) => boxes.length > 1)
    .map((boxes) => {
      let at = parentElementOf(boxes[0]);
      while (at && !boxes.every((box) => nodeContains(at, box))) at = parentElementOf(at);
      return at;
    })
    .filter((at) => at && isCheckboxSet(at));
  return [...inner, ...common]
    .map((el) => [el, nameOf(el, roleOf(el)) || setLabel(el, checkboxSet(el))])
    .filter(
      ([el, name]) =>
        name &&
        checkboxSet(el).some(isReachable) &&
        !checkboxSet(el).some((box) => normalizeText(boxName(box)) === normalizeText(name)),
    );
}

const TICKED_ROWS = 'tr, li, [role=row], [role=listitem], [role=treeitem]';
const MAX_ROW_TEXT = 1000; // characters

function matchOfBox(one, box) {
  const role = roleOf(box);
  return { ...one, el: box, role, name: nameOf(box, role), acts: true };
}

// What can be ticked of what was found: an element that cannot be means the box that belongs to it alone, or any
// one of several in its row. What fits better than all of these is kept, to be refused.
function ticksFor(found) {
  const ticks = new Map();
  for (const one of found) {
    const box = one.score < LIKELY || isTickable(one) ? null : boxOf(one.el);
    if (!box && !one.acts) continue;
    const tick = box ? matchOfBox(one, box) : one;
    if (!(ticks.get(tick.el)?.score >= tick.score)) ticks.set(tick.el, tick);
  }
  for (const one of [...ticks.values()].filter(({ score }) => score >= LIKELY)) {
    const boxes = isTickable(one) ? [] : boxesBeside(one.el);
    if (boxes.length < 2) continue;
    ticks.delete(one.el);
    if (boxes.filter((box) => ticks.get(box)?.score >= WHOLE_NAME).length === 1) continue; // it is called so itself
    const score = one.score - TIE;
    for (const box of boxes)
      if (!(ticks.get(box)?.score > score)) ticks.set(box, { ...matchOfBox(one, box), score });
  }
  const all = [...ticks.values()];
  const best = Math.max(0, ...all.filter(isTickable).map(({ score }) => score));
  return all.filter((one) => isTickable(one) || one.score >= best + TIE);
}

const isTickable = ({ el, role }) =>
  CHECKABLE_ROLES.test(role) && (role !== 'gridcell' || el.hasAttribute('aria-checked'));

const MAX_BOX_STEPS = 3; // from words to what holds them and a box in a shadow tree

// The boxes to tick in a part of the page, also in the shadow trees of what stands in it; not what is around one.
const boxesIn = (around) => [
  ...[...allMatches(around, TICKED_BOX)].filter(
    (box) => clientRectsOf(box).length > 0 && firstMatch(box, TICKED_BOX) === null,
  ),
  ...shadowRootsIn(around).flatMap(boxesIn),
];

const shadowRootsIn = (around) =>
  [...allMatches(around, '*')]
    .filter((one) => tagOf(one).includes('-'))
    .map(shadowRootOf)
    .filter(Boolean);

// The only box in an element, or the only one in its row or its custom element, unless other words stand beside it there.
function boxOf(el) {
  const inside = boxesIn(el);
  if (inside.length > 0) return inside.length === 1 ? inside[0] : null;
  const row = closestAround(el, TICKED_ROWS) ?? customElementAround(el);
  const [box, other] = boxesBeside(el);
  return box && !other && !isCalledOtherwise(box, el, row) ? box : null;
}

function boxesBeside(el) {
  const row = closestAround(el, TICKED_ROWS) ?? customElementAround(el);
  return row ? boxesIn(row) : [];
}

// Whether people see what a box in a row is called, and it is something else. What another control says is not about the
// box.
function isCalledOtherwise(box, el, row) {
  const name = normalizeText(nameOf(box, roleOf(box)));
  if (name !== '' && WIDGETS.has(roleOf(el)) && roleOf(el) !== 'treeitem') return true;
  if (name === '' || name.includes(normalizeText(visibleTextOf(el, MAX_ROW_TEXT)))) return false;
  return normalizeText(visibleTextOf(row, MAX_ROW_TEXT)).includes(name);
}

function customElementAround(el) {
  let at = parentElementOf(el);
  for (let steps = 0; at && steps < MAX_BOX_STEPS; at = parentElementOf(at), steps++)
    if (tagOf(at).includes('-')) return at;
  return null;
}
