// Elements that stand elsewhere in the document than in what owns them: aria-owns.

const NO_OWNERS = { by: new Map(), owned: new Set() };

// by: what an element owns, in its order; owned: all of that. Fields own lists that are told by
// themselves, and what does not show owns nothing.
function ownersIn(doc) {
  const owners = allMatches(doc, '[aria-owns]');
  if (!owners.length) return NO_OWNERS;
  const [by, owned] = [new Map(), new Set()];
  for (const owner of owners) {
    if (clobbered(owner) || LEAVES.has(roleOf(owner)) && roleOf(owner) !== 'link') continue;
    if (!owner.checkVisibility({ visibilityProperty: true })) continue;
    const kids = byIds(owner, 'aria-owns').filter((kid) => !owned.has(kid) && !kid.contains(owner) && parentIn(kid) !== owner && !circular(kid, owner, by));
    for (const kid of kids) owned.add(kid);
    if (kids.length) by.set(owner, kids);
  }
  return { by, owned };
}

// Whether what stands in an element owns the one that is to own it.
const circular = (kid, owner, by) => [...by].some(([other, kids]) => kid.contains(other) && kids.some((one) => one.contains(owner)));
