// What tells things of one name apart where no row or section does: the words of their own place.

const MAX_PLACE = 400; // characters; what has more is a part of the page and no place of one thing
const MAX_ALIKE = 30;
const CONTEXT = /^(.*?\[ref=e\d+\].*?)(?: in: (.*))?$/s;
const PLACE_SCORE = 42; // a fit by name and place: less than any by name and row

// The largest box around an element that holds none of the others.
function ownPlaceOf(el, others) {
  let place = el;
  for (let at = composedParentOf(el); at && tagOf(at) !== 'BODY'; at = composedParentOf(at)) {
    if (others.some((other) => other !== el && nodeContains(at, other))) break;
    place = at;
  }
  return place;
}

// The heading that stands before a place, and after the others.
function headingBefore(place, others) {
  let before = previousElementSiblingOf(place);
  while (before && roleOf(before) !== 'heading') {
    if (others.some((other) => before === other || nodeContains(before, other))) return '';
    before = previousElementSiblingOf(before);
  }
  return before ? squeeze(visibleTextOf(before, 100)) : '';
}

// The words of the own place of each element, after those of its heading where each has one; '' of a large one.
function placeWords(els) {
  const places = els.map((el) => ownPlaceOf(el, els));
  const headings = places.map((place) => headingBefore(place, els));
  const areHeaded = headings.every(Boolean);
  return places.map((place, at) => {
    const words = squeeze(visibleTextOf(place, MAX_PLACE + 1));
    if (words.length > MAX_PLACE) return '';
    return areHeaded ? `${headings[at]}: ${words}` : words;
  });
}

// Things of one role and name, by both: those that there are several of.
function sameNamed(found) {
  const groups = new Map();
  for (const one of found) {
    const key = `${one.role} ${one.name}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].filter((group) => group.length > 1 && group.length <= MAX_ALIKE);
}

// Of several of one name, those whose place has the other words. named: the controls whose words are all asked for.
function matchesByPlace(asked, named) {
  return sameNamed(named)
    .flatMap((group) => {
      const missing = asked.rest.filter((word) => !wordsOf(group[0].name).includes(word));
      const places = missing.length ? placeWords(group.map(({ el }) => el)) : [];
      return group.filter((one, at) => {
        const there = wordsOf(places[at] ?? '');
        return missing.length && missing.every((word) => there.includes(word));
      });
    })
    .map((one) => ({ ...one, score: PLACE_SCORE }));
}

// Of the fields without a name those under a heading that is called so, where there is no other field under it:
// what stands between them are words about the field.
function fieldsUnderHeadings(asked) {
  const shown = walkElements((el, role, name, acts) =>
    role === 'heading' || (acts && LABELLED_ROLES.has(role)) ? 1 : 0,
  );
  const groups = [];
  for (const one of shown) {
    if (one.role === 'heading') groups.push({ heading: one.name, fields: [] });
    else groups.at(-1)?.fields.push(one);
  }
  return groups
    .filter(
      ({ fields }) =>
        fields.length === 1 && isUnlabelled(fields[0].el, fields[0].role, fields[0].name),
    )
    .map(({ heading, fields: [one] }) => ({
      ...one,
      score: asked.wordScore(one.el, one.role, heading, true) - ADJACENT_PENALTY,
    }))
    .filter((one) => one.score >= ALL_WORDS);
}

const MAX_LEVELS_TO_FIELD = 3;

// The one field without a name beside a box to tick, which has the label of both: "[x] At most [500]".
function fieldsBesideBoxes(found) {
  return found
    .filter((one) => one.acts && one.score >= LIKELY && TICK_ROLES.has(one.role))
    .flatMap((box) => {
      const el = fieldBesideBox(box.el);
      const role = el && roleOf(el);
      return el && isUnlabelled(el, role, nameOf(el, role)) && !labelBesideOf(el)
        ? [{ ...box, el, role, name: '' }]
        : [];
    });
}

// Whether a field is there for its form alone, beside what is drawn in its place.
const isFormOnly = (el) => el.tabIndex < 0 && getAttributeOf(el, 'aria-hidden') === 'true';

function fieldBesideBox(box) {
  let around = composedParentOf(box);
  for (let level = 0; around && level < MAX_LEVELS_TO_FIELD; level++) {
    const fields = [...allMatches(around, FIELD_SELECTOR)].filter(
      (el) => visibleBoxOf(el) && !isFormOnly(el),
    );
    const others = fields.filter((el) => el !== box && el !== box.control);
    if (others.length > 0) return others.length === 1 ? others[0] : null;
    around = composedParentOf(around);
  }
  return null;
}

// Lines about things of one name that say the same of them get the words of their places instead.
function addPlacesToLines(shown, lines) {
  const lined = [...lines];
  for (const group of sameNamed(shown)) {
    const contexts = group.map((one) => CONTEXT.exec(lines[shown.indexOf(one)])?.[2]);
    if (new Set(contexts).size === contexts.length) continue;
    const places = placeWords(group.map(({ el }) => el));
    if (new Set(places).size < places.length) continue;
    group.forEach((one, number) => {
      const at = shown.indexOf(one);
      if (places[number])
        lined[at] = `${CONTEXT.exec(lines[at])?.[1] ?? lines[at]} in: ${clip(places[number], 120)}`;
    });
  }
  return lined;
}
