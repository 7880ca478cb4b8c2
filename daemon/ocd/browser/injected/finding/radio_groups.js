// Groups of radio buttons: fields that are chosen from by the words of one.

const RADIO = 'input[type=radio], [role=radio]';
const RADIO_GROUP = 'fieldset, [role=radiogroup], [role=group]';

// The radio buttons in a group, those that stand in its slots, too.
function radiosIn(group) {
  const found = [...group.querySelectorAll(RADIO)];
  for (const slot of group.querySelectorAll('slot')) {
    for (const one of slot.assignedElements({ flatten: true }))
      found.push(...(one.matches(RADIO) ? [one] : one.querySelectorAll(RADIO)));
  }
  return found;
}
const setKey = (radio) => (radio.tagName === 'INPUT' ? radio.name : '');

// The radio buttons that an element stands for, if they are one set and all that it is about; else none.
function radioSet(el) {
  if (PAGE_TAGS.has(tagOf(el)) || clobbered(el)) return [];
  const radios = radiosIn(el);
  const keys = new Set(radios.map(setKey));
  // Scripts also make a set of buttons that have a name each.
  const one = keys.size === 1 || (keys.size === radios.length && el.matches(RADIO_GROUP));
  return radios.length > 1 && one ? radios : [];
}
const isRadioSet = (el) => radioSet(el).length > 0;
const radioName = (radio) =>
  nameOf(radio, 'radio') || labelBesideOf(radio) || radio.getAttribute('value') || '';

// The words before the first of a set that has no label of its own, or before what holds it.
function setLabel(box, radios) {
  let first = radios[0];
  while (parentElementOf(first) && parentElementOf(first) !== box) first = parentElementOf(first);
  const inside = wordsBeside(first, -1, first).text;
  if (inside) return inside;
  for (
    let at = box, steps = 0;
    at && steps < MAX_STEPS_UP && !BOUNDARY_TAGS.has(tagOf(at));
    at = parentElementOf(at), steps++
  ) {
    const words = /^T[DH]$/.test(tagOf(at)) ? cellLabel(at, false) : wordsBeside(at, -1, at).text;
    if (words) return words;
  }
  return '';
}

// The nearest element around a radio button that has others in it.
function radioHolderOf(radio) {
  let at = parentElementOf(radio);
  while (at && radiosIn(at).length < 2) at = parentElementOf(at);
  return at;
}

const isReachable = (radio) => visiblePlaceOf(radio) !== null || labelsOf(radio).some(visibleBoxOf);

// Sets of radio buttons: those that a group is about, and those of one name that something holds alone.
function radioGroups() {
  const groups = new Map();
  for (const el of matchesEverywhere({ selector: RADIO_GROUP, pierce: true })) {
    const radios = radioSet(el);
    const name = radios.length ? nameOf(el, roleOf(el)) || setLabel(el, radios) : '';
    if (name) groups.set(el, name);
  }
  const [inputs, others] = [
    matchesEverywhere({ selector: 'input[type=radio][name]', pierce: true }),
    matchesEverywhere({ selector: '[role=radio]', pierce: true }),
  ];
  const loose = [
    ...groupItems(inputs, (radio) => radio.name).values(),
    ...groupItems(
      others.filter((one) => !one.closest(RADIO_GROUP)),
      radioHolderOf,
    ).values(),
  ];
  for (const radios of loose) {
    let box = parentElementOf(radios[0]);
    while (box && !radios.every((one) => nodeContains(box, one))) box = parentElementOf(box);
    const named =
      box &&
      [...groups.keys()].some((el) => el === box || nodeContains(el, box) || nodeContains(box, el));
    if (box && !named && isRadioSet(box)) groups.set(box, setLabel(box, radios));
  }
  return [...groups].filter(([el, name]) => name && radiosIn(el).some(isReachable));
}

// Fields that are groups, as matches of a search.
function matchingGroups(asked) {
  const match =
    (role) =>
    ([el, name]) => ({
      el,
      role,
      name,
      acts: true,
      within: null,
      score: asked.score(el, role, name, true),
      at: 0,
    });
  return [
    ...radioGroups().map(match('radiogroup')),
    ...[...checkboxGroups(), ...segmentedFields()].map(match('group')),
  ].filter((one) => one.score > 0);
}
