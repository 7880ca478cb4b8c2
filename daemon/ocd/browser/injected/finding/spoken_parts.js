// Parts of a page that people call by their kind and place, for words that name nothing else: "cell Bob", "column
// Price", "expand Plants", "4 stars", "third item".

const PART_SCORE = 95; // the words say what it is and which
const ANY_ITEM_SCORE = 50; // "item" alone is any one of a list

const CELL_KINDS = {
  cell: 'td, [role=cell], [role=gridcell]',
  gridcell: 'td, [role=cell], [role=gridcell]',
  column: HEAD_CELLS,
  columnheader: HEAD_CELLS,
  header: HEAD_CELLS,
  'column header': HEAD_CELLS,
  'header cell': HEAD_CELLS,
  'table header': HEAD_CELLS,
};
const UNFOLDING = new Map([
  ['expand', 'collapsed'],
  ['unfold', 'collapsed'],
  ['collapse', 'expanded'],
  ['fold', 'expanded'],
]);
const UNFOLDED_BY_ARROW = /^(?:treeitem|row|gridcell|cell)$/;
const NESTED_ITEMS = '[role=group], [role=tree], [role=treeitem], ul, ol';
const ARROW_CLASS =
  /expand|collaps|toggle|arrow|caret|chevron|switcher|twist|disclos|tree[-_](?:open|close)|plus|minus/i;
const EXPANDED_CLASS = /(?:^|[-_\s])(?:open(?:ed)?|expanded|unfolded)(?:$|[-_\s])/i;
const COLLAPSED_CLASS = /(?:^|[-_\s])(?:closed?|collapsed|folded)(?:$|[-_\s])/i;
const CHECKING_ICON = /check|tick|drag|handle/i;
const MAX_ROW_LEVELS = 4; // from words to what also holds the arrow before them
const MAX_ARROW_PX = 48;
const MAX_ITEM_PARTS = 60; // elements of one item that are looked at
const MAX_PLACED = 50;

const NUMBER_WORDS = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, at) => [word, at + 1]),
);
const DIGITS = /^(\d{1,2})(?:st|nd|rd|th)?$/;
const STAR_WORD = /^(?:stars?|hearts?|rat(?:e|ed|ing))$/;
const RATING_FILLERS = new Set('it the a an of out with as to for in on give set'.split(' '));
const STAR_GLYPH = /^[\s\u2605\u2606\u2b50\u2b51\u2661\u2665\u2764\ufe0f]+$/u;
const STAR_CLASS = /(?:^|[-_])(?:star|heart|rat(?:e|ing)|rater)s?(?:[-_]|$|\s|--|__)/i;
const MIN_STARS = 3;
const MAX_STARS = 10;
const LISTS = 'ul, ol, [role=list]';
const NAVIGATION =
  'nav, [role=navigation], [role=menu], [role=menubar], [role=tablist], [role=tree]';
const SEARCH_WORDS = /^search(?: (?:field|box|input|bar))?$/;
const PAGE_WORDS = /^(?:page (?:number )?(\d{1,5})|(next|previous|prev) page)$/;
const PAGER_PARTS = ['pagination', 'pager', 'paging']
  .flatMap((name) => [`[class*=${name} i] > *`, `[aria-label*=${name} i] > *`])
  .join();
const ITEM_WORDS = /^(?:(?:list )?item|listitem)(?: (\d{1,3}))?(?: (?:of|in|from) (.+))?$/;

const isSame = (words, text) => wordsOf(text).join(' ') === words.join(' ');

// What the words mean in this way; [] if nothing. found: what else they mean; a verb for unfolding that stands elsewhere
// than in the name of a control is still one.
function spokenParts(asked, among, found) {
  if (asked.line !== null) return [];
  if (among === 'files' || among === 'fields')
    return found.some(isLikely) ? [] : onlyOneMeant(asked.all, among);
  if (among === 'all') return found.some(isLikely) ? [] : shownOptions(asked.all);
  if (among !== 'clickable' && among !== 'acting') return [];
  const words = asked.all.slice(ARTICLES.has(asked.all[0]) ? 1 : 0);
  const isPage = PAGE_WORDS.test(words.join(' '));
  const isOrder = isPage || UNFOLDING.has(words[0]) || /^column/.test(words[0]);
  const isMeant = ({ score, role, name }) =>
    score >= LIKELY &&
    (!isOrder || (PRESSED.test(role) && asked.hasAllWords(name)) || score >= WHOLE_NAME);
  if (words.length === 0 || found.some(isMeant)) return [];
  if (UNFOLDING.has(words[0])) return unfoldersOf(words);
  return [
    ...shownOptions(words),
    ...cellsCalled(words),
    ...starsCalled(words),
    ...pagesCalled(words.join(' ')),
    ...itemsCalled(words.join(' ')),
  ];
}

const isLikely = ({ score }) => score >= LIKELY;

// Options of lists that the browser itself draws, where they are shown one by one.
function shownOptions(words) {
  const called = words.filter((word, at) => word !== 'option' || (at > 0 && at < words.length - 1));
  return matchesEverywhere({ selector: 'select option', pierce: true })
    .filter((el) => isSame(called, nameOf(el, 'option')) && visibleBoxOf(el) !== null)
    .map((el) => partOf(el, PART_SCORE, { role: 'option', acts: true }));
}

// The only file input of a page by what is written where files are dropped, and its only search field by what it is for.
function onlyOneMeant(words, among) {
  const isSearch = among === 'fields' && SEARCH_WORDS.test(words.join(' '));
  if (among === 'fields' && !isSearch) return [];
  const selector = isSearch ? 'input[type=search], [role=searchbox]' : 'input[type=file]';
  const all = matchesEverywhere({ selector, pierce: true }).filter(
    (el) => !isSearch || visibleBoxOf(el) !== null,
  );
  const isDropPlace = words.length > 1 && isWrittenOnPage(words);
  if (all.length !== 1 || !(isSearch || isDropPlace)) return [];
  return [partOf(all[0], PART_SCORE, { role: isSearch ? 'searchbox' : 'file', acts: true })];
}

// Whether a text says these words, as in a place to drop files or a label, and no others.
const isWrittenOnPage = (words) =>
  walkElements((el, role, name, acts) => (!acts && isSame(words, name) ? 1 : 0)).length > 0;

const partOf = (el, score, { role = roleOf(el), name = nameOf(el, role), acts = false } = {}) => ({
  el,
  role: role || 'text',
  name: name || squeeze(visibleTextOf(el, MAX_SAID)),
  acts,
  within: null,
  score,
  at: 0,
});

// Cells and heads of columns that say the other words and no more.
function cellsCalled(words) {
  for (const count of [2, 1]) {
    if (words.length <= count) continue;
    for (const [kind, rest] of [
      [words.slice(0, count), words.slice(count)],
      [words.slice(-count), words.slice(0, -count)],
    ]) {
      const selector = CELL_KINDS[kind.join(' ')];
      if (selector === undefined) continue;
      const cells = cellsWith(selector, rest);
      if (cells.length > 0) return cells.map((el) => partOf(controlOfSame(el), PART_SCORE));
    }
  }
  return [];
}

function cellsWith(selector, rest) {
  const cells = matchesEverywhere({ selector, pierce: true });
  if (selector === HEAD_CELLS) cells.push(...drawnHeads().filter((el) => !cells.includes(el)));
  return cells
    .filter((el) => isSame(rest, spacedTextOf(el)) || isSame(rest, visibleTextOf(el, MAX_SAID)))
    .filter((el) => visibleBoxOf(el))
    .slice(0, MAX_PLACED);
}

const drawnHeads = () =>
  matchesEverywhere({ selector: TABLES, pierce: true }).flatMap((table) =>
    headsAboveColumns(table).flat(),
  );

// The only control in a cell, where it says all of it; else the cell.
function controlOfSame(cell) {
  const [control, other] = [...allMatches(cell, 'a[href], button, [role=button]')].filter((el) =>
    visibleBoxOf(el),
  );
  return control && !other && isSame(wordsOf(spacedTextOf(cell)), spacedTextOf(control))
    ? control
    : cell;
}

// What unfolds an item of a tree, a row or a section, or folds it up; only of such as are in the other state.
function unfoldersOf([verb, ...rest]) {
  const state = UNFOLDING.get(verb);
  if (state === undefined || rest.length === 0) return [];
  const named = walkElements((el, role) =>
    role === 'row' || role === 'treeitem' || el.hasAttribute('aria-expanded') || role === 'summary'
      ? 1
      : 0,
  );
  const meant = named.filter(
    ({ el, role, name }) =>
      (isSame(rest, name) || isSame(rest, itemHead(el, role))) && unfoldStateOf(el, role) === state,
  );
  if (named.length === 0 || meant.length === 0) {
    const loose = looseUnfolders(rest, state);
    if (loose.length > 0)
      return loose.map((el) =>
        partOf(el, PART_SCORE, { role: 'button', name: `${verb} ${rest.join(' ')}`, acts: true }),
      );
  }
  const outer = meant.filter(
    ({ el }) => !meant.some((other) => other.el !== el && nodeContains(other.el, el)),
  );
  return outer.slice(0, MAX_PLACED).map(({ el, role }) => {
    const arrow = UNFOLDED_BY_ARROW.test(role) ? (arrowOf(el) ?? arrowBefore(el)) : null;
    return partOf(arrow ?? el, PART_SCORE, {
      role: arrow ? 'button' : role,
      name: `${verb} ${rest.join(' ')}`,
      acts: true,
    });
  });
}

function unfoldStateOf(el, role) {
  const said = statesOf(el, role, null).split(' ');
  return said.find((word) => word === 'collapsed' || word === 'expanded') ?? '';
}

// The words of an item without those of the items in it; of a row, those of its first cell.
function itemHead(el, role) {
  if (role === 'row') {
    const cells = [...allMatches(el, `td, th, ${CELLS_OF_ROW}`)].map((cell) =>
      squeeze(visibleTextOf(cell, 200)),
    );
    return cells.find(Boolean) ?? '';
  }
  return squeeze(
    ownPartsOf(el)
      .filter((part) => !elementsInside(part).length)
      .map((part) => visibleTextOf(part, 200))
      .join(' '),
  );
}

const elementsInside = (el) => [...composedChildrenOf(el)].filter((one) => nodeTypeOf(one) === 1);

// The elements of an item, from outside in, without those of the items in it.
function ownPartsOf(item) {
  const parts = elementsInside(item);
  for (let at = 0; at < parts.length && parts.length < MAX_ITEM_PARTS; at++)
    if (!isNestedItems(parts[at])) parts.push(...elementsInside(parts[at]));
  return parts.filter((part) => !isNestedItems(part));
}

const isNestedItems = (el) => !clobbered(el) && el.matches(NESTED_ITEMS);

// The small thing without words that an item is unfolded by: its class or its label says so.
function arrowOf(item) {
  return ownPartsOf(item).find((el) => isIconLike(el) && ARROW_CLASS.test(markOf(el))) ?? null;
}

// The arrow right before an item that has one outside of it.
function arrowBefore(item) {
  const before = previousElementSiblingOf(item);
  return before && isIconLike(before) && !CHECKING_ICON.test(markOf(before)) ? before : null;
}

// The arrows of trees whose items have no roles: right before these words, in the state that the verb is for.
function looseUnfolders(rest, state) {
  const texts = walkElements((el, role, name) => (isSame(rest, name) ? 1 : 0)).map(({ el }) => el);
  const arrows = texts.map((el) => looseArrow(el, rest)).filter((found) => found !== null);
  const meant = arrows.filter((found) => looseStateOf(found) === state).map(({ arrow }) => arrow);
  return [...new Set(meant)].slice(0, MAX_PLACED);
}

// What unfolds an item, and the row that both stand in: it has no words but those of the item.
function looseArrow(el, rest) {
  for (let at = el, level = 0; at && level < MAX_ROW_LEVELS; at = composedParentOf(at), level++) {
    if (level > 0 && !isSame(rest, spacedTextOf(at))) return null;
    for (let one = previousElementSiblingOf(at); one; one = previousElementSiblingOf(one)) {
      const marks = [one, ...allMatches(one, '*')].map(markOf).join(' ');
      if (isIconLike(one) && ARROW_CLASS.test(marks) && !CHECKING_ICON.test(markOf(one)))
        return { arrow: one, row: composedParentOf(at), item: at };
    }
  }
  return null;
}

// As classes say it; else by whether what comes next stands further in.
function looseStateOf({ arrow, row, item }) {
  const marks = [row, arrow, item].map((el) => el.getAttribute('class') ?? '').join(' ');
  if (EXPANDED_CLASS.test(marks)) return 'expanded';
  if (COLLAPSED_CLASS.test(marks)) return 'collapsed';
  const next = nextElementSiblingOf(row);
  const words = next && firstWordsIn(next);
  return words && boxOfNode(words).left > boxOfNode(firstWordsIn(row) ?? item).left + 2
    ? 'expanded'
    : 'collapsed';
}

function firstWordsIn(el) {
  const walker = walkerIn(documentOf(el), el, NodeFilter.SHOW_TEXT, (node) =>
    /\S/.test(node.data) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
  );
  return walker.nextNode();
}

const markOf = (el) =>
  `${el.getAttribute('class') ?? ''} ${el.getAttribute('part') ?? ''} ${getAttributeOf(el, 'aria-label') ?? ''}`;

function isIconLike(el) {
  if (clobbered(el) || el.matches(TICKED_BOX)) return false;
  if (/\p{L}|\p{N}/u.test(textContentOf(el)) && tagOf(el) !== 'BUTTON') return false;
  const box = visibleBoxOf(el);
  return box !== null && box.width <= MAX_ARROW_PX && box.height <= MAX_ARROW_PX;
}

// One star of a rating, by its number.
function starsCalled(words) {
  if (!words.some((word) => STAR_WORD.test(word))) return [];
  const rest = words.filter((word) => !STAR_WORD.test(word) && !RATING_FILLERS.has(word));
  const numbers = rest.map(numberOf).filter((number) => number > 0);
  const [number, count] = numbers;
  if (numbers.length < 1 || numbers.length > 2) return [];
  const label = rest.filter((word) => numberOf(word) === 0);
  return ratingGroups()
    .filter((stars) => number <= stars.length && (count ?? stars.length) === stars.length)
    .filter((stars) => isRatingCalled(stars[0], label))
    .map((stars) => {
      const el = stars[number - 1];
      const role = roleOf(el) || 'clickable';
      return partOf(el, PART_SCORE, { role, name: `${number} of ${stars.length}`, acts: true });
    });
}

const numberOf = (word) => Number(DIGITS.exec(word)?.[1] ?? NUMBER_WORDS.get(word) ?? 0);

function isRatingCalled(star, label) {
  if (label.length === 0) return true;
  const group = composedParentOf(star);
  const named = closestAround(star, '[role=radiogroup], [role=slider], fieldset') ?? group;
  const said = wordsOf(
    `${nameOf(named, roleOf(named))} ${labelBesideOf(named)} ${surroundingWords(group).words} ${sectionOf(group)} ${headingBefore(group, [])}`,
  );
  return label.every((word) => said.includes(word));
}

// Rows of three to ten things alike that are drawn as stars.
function ratingGroups() {
  return [...new Set(matchesEverywhere({ selector: '*', pierce: true }).map(composedParentOf))]
    .filter((el) => el !== null && !clobbered(el))
    .map(starsIn)
    .filter((stars) => stars !== null);
}

function starsIn(el) {
  const kids = elementsInside(el);
  if (kids.length < MIN_STARS || kids.length > MAX_STARS + 2) return null;
  const counts = Map.groupBy(kids, (kid) => `${tagOf(kid)} ${kid.classList[0] ?? ''}`);
  const stars = [...counts.values()].reduce((most, one) => (one.length > most.length ? one : most));
  if (stars.length < MIN_STARS || stars.length > MAX_STARS) return null;
  const isStar = (kid) => STAR_GLYPH.test(textContentOf(kid));
  if (
    ![el, ...stars].some((one) => STAR_CLASS.test(markOf(one))) &&
    !stars.every(isStar) &&
    !areRadios(stars)
  )
    return null;
  const boxes = stars.map(visibleBoxOf);
  return boxes.every((box) => box && isBesides(box, boxes[0])) && !areWorded(stars) ? stars : null;
}

const areRadios = (stars) =>
  stars.every((one) => one.matches('[role=radio]') || firstMatch(one, '[role=radio]') !== null);
const isBesides = (box, first) =>
  Math.abs(box.width - first.width) <= 2 && Math.abs(box.top - first.top) <= 2;
// Whether people read different words on them: then they are options and no stars.
const areWorded = (stars) =>
  new Set(stars.map((one) => visibleTextOf(one, 100).replace(/[\d\s]|stars?/gi, ''))).size > 1;

// A page's number in what leads through pages, or what stands before or behind the numbers.
function pagesCalled(words) {
  const [, number, step] = PAGE_WORDS.exec(words) ?? [];
  if (number === undefined && step === undefined) return [];
  return pagers().flatMap((pages) => {
    const at = number ? pages.findIndex((el) => isSame([number], spacedTextOf(el))) : -1;
    const el = number ? pages[at] : stepBeside(pages, step === 'next');
    return el
      ? [partOf(el, PART_SCORE, { role: roleOf(el) || 'clickable', name: words, acts: true })]
      : [];
  });
}

// The numbers of each row of them that is called a pagination.
function pagers() {
  const numbers = matchesEverywhere({ selector: PAGER_PARTS, pierce: true }).filter(
    (el) => /^\s*\d{1,5}\s*$/.test(textContentOf(el)) && visibleBoxOf(el) !== null,
  );
  const groups = Map.groupBy(numbers, (el) => composedParentOf(el));
  return [...groups.values()].filter(
    (pages) =>
      pages.length > 1 &&
      !pages.some((el) => pages.some((other) => other !== el && nodeContains(other, el))),
  );
}

// What stands beside the numbers, or beside the box that holds them, and has none.
function stepBeside(pages, forward) {
  let at = forward ? pages.at(-1) : pages[0];
  for (let level = 0; level < 2; level++, at = composedParentOf(at)) {
    const beside = forward ? nextElementSiblingOf(at) : previousElementSiblingOf(at);
    if (beside && visibleBoxOf(beside) && !/\p{L}|\p{N}/u.test(textContentOf(beside)))
      return beside;
  }
  return null;
}

// Items of the only list of a page, or of the only one that is called so.
function itemsCalled(words) {
  const match = ITEM_WORDS.exec(words);
  if (match === null) return [];
  const [, number, called] = match;
  const lists = matchesEverywhere({ selector: LISTS, pierce: true })
    .filter((el) => !closestAround(el, NAVIGATION) && !closestMatch(parentElementOf(el), LISTS))
    .map((el) => [el, visibleItemsOf(el)])
    .filter(([el, items]) => items.length > 1 && (!called || isListCalled(el, called)));
  if (lists.length !== 1) return [];
  const items = lists[0][1];
  const meant = number ? items.slice(number - 1, number) : items;
  return meant.map((el, at) => ({
    ...partOf(controlOfSame(el), number ? PART_SCORE : ANY_ITEM_SCORE),
    at,
  }));
}

const visibleItemsOf = (list) =>
  elementsInside(list).filter(
    (el) => /^(?:listitem|)$/.test(roleOf(el)) && visibleBoxOf(el) !== null,
  );

function isListCalled(list, called) {
  const said = wordsOf(`${nameOf(list, 'list')} ${sectionOf(list)} ${headingBefore(list, [list])}`);
  return wordsOf(called)
    .filter((word) => !ARTICLES.has(word) && word !== 'list')
    .every((word) => said.includes(word));
}
