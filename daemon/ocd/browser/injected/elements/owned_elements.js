// Elements that belong to others by their ids: what is owned and stands elsewhere, and what is told
// as the name of a field.

const EMPTY_SET = new Set();
const NO_OWNERS = { by: new Map(), owned: new Map() };

// by: what an element owns, in its order; owned: all of that. Fields own lists that are told by
// themselves, and what does not show owns nothing.
function ownersIn(doc) {
  const owners = allMatches(doc, '[aria-owns]');
  if (!owners.length) return NO_OWNERS;
  const [by, owned] = [new Map(), new Map()]; // owned: by whom
  for (const owner of owners) {
    if (clobbered(owner) || (LEAF_ROLES.has(roleOf(owner)) && roleOf(owner) !== 'link')) continue;
    if (!owner.checkVisibility({ visibilityProperty: true })) continue;
    const outer = containersOf(owner, owned);
    const kids =
      outer === null
        ? []
        : elementsByIds(owner, 'aria-owns').filter(
            (kid) =>
              !owned.has(kid) &&
              !nodeContains(kid, owner) &&
              !nodeContains(owner, kid) &&
              !outer.has(kid),
          );
    for (const kid of kids) owned.set(kid, owner);
    if (kids.length) by.set(owner, kids);
  }
  return { by, owned };
}

// The same for the owners that an element is or holds.
function ownersWithin(root) {
  const all = ownersIn(documentOf(root));
  if (all.by.size === 0) return all;
  const by = new Map([...all.by].filter(([owner]) => nodeContains(root, owner)));
  const owned = new Map([...all.owned].filter(([, owner]) => by.has(owner)));
  return { by, owned };
}

// What an element stands in as it is told: none of that can be owned by it. Null if that is deeper
// than anything that is told.
function containersOf(el, owned) {
  const found = new Set();
  for (let at = el; at; at = owned.get(at) ?? parentElementOf(at)) {
    if (found.size > MAX_DEPTH) return null;
    found.add(at);
  }
  return found;
}

const NAMED_FIELDS =
  ':is(input, select, textarea, [role=combobox], [role=listbox], [role=textbox], [role=slider], [role=spinbutton], [role=checkbox],' +
  ' [role=radio], [role=switch], [role=searchbox])';

// Plain words that are told with the field that they label.
function labelsIn(doc) {
  const found = new Set();
  for (const field of allMatches(doc, '[aria-labelledby]')) {
    if (!field.matches(NAMED_FIELDS) || !isShownField(field)) continue;
    for (const label of elementsByIds(field, 'aria-labelledby'))
      if (label !== field && !nodeContains(label, field) && isPlainLabel(label)) found.add(label);
  }
  return found;
}

const isShownField = (field) =>
  field.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
  !field.closest('[aria-hidden=true]') &&
  field.getBoundingClientRect().width > 1;
const isPlainLabel = (label) =>
  roleOf(label) === '' &&
  label.matches('label, span, div, p, b, strong') &&
  label.closest('a, button, label, [role], h1, h2, h3, h4, h5, h6, th, td, legend, caption') ===
    (label.tagName === 'LABEL' ? label : null);
