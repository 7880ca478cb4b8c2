// Boxes that show nothing of themselves, and what inside them is seen all the same.

const MAX_HELD_VIEWS = 2000; // elements of such a box that are looked at
const FACED_INPUTS = 'input:is([type=checkbox],[type=radio],[type=range],[type=file],[type=color])';

// The view of a box that cuts off or hides what is in it, null if nothing in it is seen all the same:
// what something outside of it places, and inputs that something drawn stands for.
function shutView(el, above, style) {
  if (firstElementChildOf(el) === null) return null;
  const seen = [
    ...escapingDescendantsOf(el, style),
    ...facesOf(el),
    ...keyInputsOf(el),
    ...restingFieldsOf(el, style),
  ];
  if (!seen.length) return null;
  const view = new ElementView(el, above, style, style.display);
  const ways = new Set();
  for (const one of seen)
    for (let at = shownParentOf(one); at && at !== el; at = shownParentOf(at)) ways.add(at);
  view.shut = { seen: new Set(seen), ways };
  return view;
}

function viewInShutBox(el, above) {
  const { seen, ways } = above.shut;
  if (!seen.has(el) && !ways.has(el)) return null;
  const style = getComputedStyle(el);
  if (style.display === 'none') return null;
  if (seen.has(el)) {
    let outer = above;
    while (outer !== null && outer.shut !== null) outer = outer.above;
    if (CONTROL_TAGS.has(el.tagName)) return viewFor(el, outer, style);
    return isInvisible(el, style) ? null : viewFor(el, outer, style);
  }
  const view = new ElementView(el, above, style, style.display);
  view.shut = above.shut;
  return view;
}

// What in a box without a size, or one that stands out of sight, is placed by something around it, and so is seen.
function escapingDescendantsOf(el, style) {
  const cuts = style.overflow !== 'visible' && (isPixel(style.width) || isPixel(style.height));
  if (
    !(cuts || style.position !== 'static') ||
    style.opacity <= MIN_OPACITY ||
    style.clipPath !== 'none' ||
    style.clip !== 'auto' ||
    style.visibility === 'collapse'
  )
    return [];
  const found = [];
  const all = el.getElementsByTagName('*');
  for (let at = 0; at < all.length && at < MAX_HELD_VIEWS; at++) {
    const { position } = getComputedStyle(all[at]);
    if (
      (position === 'fixed' || (cuts && position === 'absolute')) &&
      !found.some((one) => nodeContains(one, all[at])) &&
      isPlacedOutside(all[at], el, position)
    )
      found.push(all[at]);
  }
  return found;
}

function isPlacedOutside(el, box, position) {
  for (let at = parentElementOf(el); at; at = parentElementOf(at)) {
    const style = getComputedStyle(at);
    if (
      style.transform !== 'none' ||
      style.filter !== 'none' ||
      style.perspective !== 'none' ||
      /paint|layout|strict|content/.test(style.contain)
    )
      return false;
    if (position === 'absolute' && style.position !== 'static') return false;
    if (at === box) return true;
  }
  return false;
}

// Native inputs in a box that hides them, where something of the size of a control is drawn around it.
// Those with a label of their own are told with that.
function facesOf(el) {
  const inputs = [...el.querySelectorAll(FACED_INPUTS)].filter(
    (one) => !labelsOf(one).length && !one.closest('[aria-hidden="true"]'),
  );
  return inputs.length && hasFace(el) ? inputs : [];
}

// The text field in a box of no size that takes the keys for what is drawn around the box, as in code editors.
function keyInputsOf(el) {
  const input = firstElementChildOf(el);
  return input !== null &&
    input.tagName === 'TEXTAREA' &&
    input.tabIndex >= 0 &&
    editorAround(input) !== null
    ? [input]
    : [];
}

const MAX_RESTING_HEIGHT = 200; // px
const MAX_LEVELS_AROUND = 3;
const RESTING_FIELDS = 'input, textarea, select';

// The text field in a transparent box in whose place its label stands until it is clicked.
function restingFieldsOf(el, style) {
  if (
    style.opacity > MIN_OPACITY ||
    style.visibility !== 'visible' ||
    style.pointerEvents === 'none'
  )
    return [];
  const inside = [el, ...allMatches(el, 'slot')].flatMap((one) =>
    tagOf(one) === 'SLOT' ? one.assignedElements({ flatten: true }) : [one],
  );
  return inside
    .flatMap((one) => [
      ...(one.matches(RESTING_FIELDS) ? [one] : []),
      ...allMatches(one, RESTING_FIELDS),
    ])
    .filter((one) => isRestingField(one) && hasWordsBeside(el));
}

function isRestingField(field) {
  const { width, height } = boundingBoxOf(field);
  return (
    (tagOf(field) !== 'INPUT' || TYPED_INPUTS.test(field.type)) &&
    field.tabIndex >= 0 &&
    width >= MIN_EDITOR &&
    height >= MIN_LINE &&
    closestMatch(field, '[aria-hidden="true"]') === null
  );
}

// Whether words are shown beside a box, in something no larger than a field.
function hasWordsBeside(box) {
  let at = box;
  for (let level = 0; level < MAX_LEVELS_AROUND; level++) {
    const around = parentElementOf(at);
    if (around === null || boundingBoxOf(around).height > MAX_RESTING_HEIGHT) return false;
    const shown = [...childElementsOf(around)].some(
      (one) =>
        one !== at &&
        /\p{L}/u.test(textContentOf(one)) &&
        checkVisibilityOf(one, { visibilityProperty: true, opacityProperty: true }),
    );
    if (shown) return true;
    at = around;
  }
  return false;
}

const MAX_KEY_BOX_PX = 4; // px, of the box
const [MIN_EDITOR, MIN_LINE] = [40, 10]; // px, the width and height of what is drawn

// What is drawn for a text field that stands alone in a box of no size; null for any other.
function editorAround(input) {
  const box = parentElementOf(input);
  const editor = box && parentElementOf(box);
  if (
    !editor ||
    input.tagName !== 'TEXTAREA' ||
    nextElementSiblingOf(input) !== null ||
    box.offsetWidth > MAX_KEY_BOX_PX ||
    box.offsetHeight > MAX_KEY_BOX_PX
  )
    return null;
  if (
    editor.offsetWidth < MIN_EDITOR ||
    editor.offsetHeight < MIN_LINE ||
    input.closest('[aria-hidden="true"]')
  )
    return null;
  if (
    [...editor.querySelectorAll('input:not([type=hidden]), select, textarea')].some(
      (one) => one !== input,
    )
  )
    return null;
  return checkVisibilityOf(editor, { visibilityProperty: true, opacityProperty: true })
    ? editor
    : null;
}

function hasFace(el) {
  for (
    let at = parentElementOf(el), level = 0;
    at && level < 3;
    at = parentElementOf(at), level++
  ) {
    const { width, height } = boundingBoxOf(at);
    if (width > 400 || height > 100) return false;
    if (width >= 4 && height >= 4)
      return checkVisibilityOf(at, { visibilityProperty: true, opacityProperty: true });
  }
  return false;
}
