// Lists that open beside a text field that says nothing of having one: it may take only what they offer.

const FREE_TEXT_TYPES = /^(?:search|password|email|url|tel|number)$/; // of such fields the list is but a help
const SEARCH_SELECTOR = 'search, [role=search]';
const PROBE_OFFSETS_PX = [4, 16, 40]; // pixels below a field, and above it
const PLACING_FRAMES = 12; // in which what has come up is put in its place
const offeredLists = { by: null, lists: [] };

// The outermost box above the page that an element stands in, without the field in it.
function floatingBoxAround(el, control) {
  let found = null;
  for (
    let at = el;
    at && !PAGE_TAGS.has(tagOf(at)) && !nodeContains(at, control);
    at = composedParentOf(at)
  ) {
    if (/absolute|fixed/.test(getComputedStyle(at).position)) found = at;
  }
  return found;
}

// What floats above the page right below the field, or above it.
function floatingListsBeside(control) {
  const box = visibleBoxOf(control);
  if (!box) return [];
  const across = [box.left + Math.min(20, box.width / 2), box.left + box.width / 2];
  const down = PROBE_OFFSETS_PX.flatMap((away) => [box.bottom + away, box.top - away]);
  const hits = across.flatMap((x) => down.map((y) => topElementAt(documentOf(control), x, y)));
  return [...new Set(hits.filter(Boolean).map((hit) => floatingBoxAround(hit, control)))].filter(
    Boolean,
  );
}

const offeredItems = () =>
  offeredLists.lists.flatMap((list) => [...allMatches(list, 'li')]).filter(visibleBoxOf);

// Whether a field is there to search by: it takes any text, and what shows beside it is what was found.
function isSearchField(control) {
  const role = control.getAttribute('role');
  if (role === 'searchbox' || (control.type === 'search' && role !== 'combobox')) return true;
  const around = closestMatch(control, SEARCH_SELECTOR);
  return around !== null && !hasOtherField(around, control);
}

const leadsElsewhere = (el) =>
  [el, ...allMatches(el, 'a')].some((one) =>
    /^(?!#|javascript:)./i.test(one.getAttribute('href') ?? ''),
  );

// Whether all that a field offers are links to other pages, as results of a search are: no values of it.
function offersLinks(control) {
  const choices = choicesOf(control);
  return choices.length > 0 && choices.every(leadsElsewhere);
}

// What has come up above the page since the action began, wherever it stands as yet.
function newFloats(state, came, control) {
  const fresh = [...came, ...state.hidden].filter(
    (one) => nodeTypeOf(one) === Node.ELEMENT_NODE && one.isConnected && isShown(one),
  );
  const within = (el) =>
    [...allMatches(el, ':scope > *, :scope > * > *')].find((one) =>
      floatingBoxAround(one, control),
    );
  return new Set(
    fresh
      .map((el) => floatingBoxAround(el, control) || within(el))
      .filter((one) => one && !isMessageList(one)),
  );
}

// Whether what was typed has opened such a list, which may be put in its place late. What is there to choose is
// what stands in it.
async function opensList(state, el) {
  const control = controlOf(el);
  if (
    !state.looksDiffer ||
    control.tagName !== 'INPUT' ||
    control.list ||
    FREE_TEXT_TYPES.test(control.type) ||
    isSearchField(control) ||
    !isPresent(control)
  )
    return false;
  const came = new Set(state.records.flatMap((record) => [...record.addedNodes]));
  const isNew = (list) => came.has(list) || isInside(list, came) || hasChangedIn(state, list);
  let lists = [];
  for (
    let frames = newFloats(state, came, control).size ? PLACING_FRAMES : 1;
    frames && !lists.length;
    frames--
  ) {
    if (frames < PLACING_FRAMES && areScriptsEnabled()) await nextFrame();
    lists = floatingListsBeside(control).filter(
      (list) => isNew(list) && !isPicker(list, control) && !isMessageList(list),
    );
  }
  if (!lists.length) return false;
  Object.assign(offeredLists, { by: control, lists });
  openedControl = control;
  presentBeforeOpening = { has: (one) => !currentLists().some((list) => nodeContains(list, one)) };
  return true;
}

// What a field says of itself, such as that it was filled in wrongly, is nothing to choose from.
const isMessageList = (list) =>
  list.matches('[role=alert], [role=status], [role=dialog], dialog') ||
  ![list, ...allMatches(list, '*')].some((one) =>
    LIST_LIKE.test(`${one.tagName} ${one.getAttribute('role')} ${one.getAttribute('class')}`),
  );
const LIST_LIKE =
  /\b(?:li|ul|ol|listbox|option|menu|menuitem|tree|treeitem|grid)\b|option|select|dropdown|suggest|autocomplete|cascader|menu/i;

// The lists; looked for once more where the page has drawn them anew.
function currentLists() {
  if (!offeredLists.lists.every((list) => list.isConnected && isShown(list)))
    offeredLists.lists = floatingListsBeside(offeredLists.by);
  return offeredLists.lists;
}

// The list of a form that a field stands for.
function standsForList(control) {
  const own = (area) => [area, ...allMatches(area, 'select')];
  return (
    areasAround(control)
      .flatMap(own)
      .find(
        (one) => tagOf(one) === 'SELECT' && one.multiple && (one.tabIndex < 0 || !isShown(one)),
      ) ||
    hiddenListBefore(control) ||
    null
  );
}

// Kept beside the box that stands for it, where nothing of it shows.
function hiddenListBefore(control) {
  for (let at = control, steps = 0; at && steps < MAX_AROUND; at = composedParentOf(at), steps++) {
    const before = previousElementSiblingOf(at);
    if (before && tagOf(before) === 'SELECT')
      return before.multiple && (before.tabIndex < 0 || !isShown(before)) ? before : null;
  }
  return null;
}
