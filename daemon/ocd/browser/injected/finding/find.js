// Finding elements by words: what the outline would show, ranked by how well it fits.

const LONG_DESCRIPTION = /( description="[^"]{60})[^"]{2,}"$/;
const LIKELY = 40; // what scores less has only some of the words
const ALL_WORDS = 58; // what scores more has all of them in its name
const WHOLE_NAME = 98; // its name says these words and no others
const FOLDED_SCORE = 20;
const MAX_WEIGHED = 300; // elements that have only some of the words
const RARITY_BONUS = 12; // for a word that no other of them has
const OF_KIND = 1; // the score of what is asked for by its kind, without words
const TIE = 3; // what scores less, by less than this, fits as well
const PLACE_LEAD = 3; // by so much the best has to be better than the next to be meant alone
const TEXT_FIELD = /^(?:textbox|searchbox)$/;

const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading]';
const TITLED_TAGS = /^(?:SECTION|ARTICLE|FORM|DIALOG|ASIDE|NAV)$/;
const NO_TITLE = { name: '', heading: null };

let sectionTitles = new Map(); // for the time of one search

// The name or the heading of what an element stands in.
function sectionOf(el) {
  for (let at = composedParentOf(el); at && tagOf(at) !== 'BODY'; at = composedParentOf(at)) {
    let title = sectionTitles.get(at);
    if (title === undefined) sectionTitles.set(at, (title = titleOf(at)));
    if (title.name && (title.heading === null || standsBefore(title.heading, el)))
      return title.name;
  }
  return '';
}

// heading: where only what stands behind it is in the section, as in a box without a role.
function titleOf(el) {
  if (clobbered(el)) return { name: clobberedFormName(el), heading: null };
  const name = el.tagName === 'FIELDSET' || hasName(el) ? nameOf(el, roleOf(el)) : '';
  if (name) return { name, heading: null };
  const headings = allMatches(el, HEADINGS);
  const isTitled = TITLED_TAGS.test(el.tagName);
  if (!headings.length || (!isTitled && headings.length > 1)) return NO_TITLE;
  const words = squeeze(visibleTextOf(headings[0], 200).slice(0, 200));
  return { name: words, heading: isTitled ? null : headings[0] };
}

const standsBefore = (one, other) =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

function isInSight(el) {
  const box = boundingBoxOf(el);
  const view = windowOf(documentOf(el)) || window;
  return (
    box.bottom > 0 && box.right > 0 && box.top < view.innerHeight && box.left < view.innerWidth
  );
}

// One line about an element, as in the outline, with what tells it from others of its name.
function lineOf(one, alone) {
  if (clobbered(one.el)) return `form [ref=e${refOf(one.el)}]`;
  const control = one.el.tagName === 'LABEL' && one.el.control ? one.el.control : one.el;
  let line = one.role || one.el.tagName.toLowerCase();
  if (one.name) line += ` ${quote(clip(one.name))}`;
  else if (one.acts) line += hintIfWordless(control, one.role);
  const beside = isUnlabelled(control, one.role, one.name) ? labelBesideOf(control) : '';
  noteStated(control);
  line += ` [ref=e${refOf(one.el)}]${beside ? ` beside ${quote(beside)}` : ''}${statesOf(control, one.role, activeElementOf(documentOf(one.el)))}`;
  if (!FIELDS.has(one.role) && isCovered(one.el)) line += ' [covered]';
  if (one.role !== 'text')
    line += clip(
      detailOf(control, one.role, one.name, null).replace(LONG_DESCRIPTION, '$1…"'),
      300,
    );
  if (one.score < LIKELY && one.score > OF_KIND && one.score !== NAMESAKE_SCORE)
    line += ' (partial match)';
  const { at, words } = surroundingWords(one.el);
  let context = alone
    ? ''
    : squeeze(words ? visibleTextOf(at, 800).replace(one.name, ' ').slice(0, 400) : '');
  const section = alone ? '' : sectionOf(one.el);
  if (section && !context.includes(section))
    context = context ? `${context} / ${section}` : section;
  return context ? `${line} in: ${clip(context, 120)}` : line;
}

function rankMatches(options) {
  const asked = new SearchQuery(options.query);
  const { among } = options;
  const wanted = (acts, within, role) =>
    acts ||
    among === 'all' ||
    among === 'ticks' ||
    (among === 'clickable' && (within !== null || asked.tokens.has(role)));
  const hasKind = !asked.line && asked.rest.length > 0 && asked.kindWords.length > 0;
  const judge = (el, role, name, acts, within) => {
    if (wanted(acts, within, role)) return asked.score(el, role, name, acts);
    return hasKind && asked.isPhraseIn(name) ? NAMESAKE_SCORE : 0;
  };
  const { found: seen, partial } = searchByNames(judge, asked, options.wholeNames);
  const isWanted = (one) => wanted(one.acts, one.within, one.role);
  const texts = seen.filter((one) => !isWanted(one));
  const fitting = texts.length ? seen.filter(isWanted) : seen;
  const found = addTextsInEditors(
    among === 'clickable' ? closestParts(fitting, asked) : fitting,
    asked,
    among,
  );
  if (hasKind && among !== 'all') found.push(...demoteNamesakes(found, texts, asked));
  if (!found.some((one) => one.score >= ALL_WORDS && asked.hasAllWords(one.name)))
    addCrossings(found, asked, among);
  if (!asked.line && isUndecided(found)) addByPlace(found, matchesByPlace(asked, partial));
  if (among === 'fields') found.push(...matchingGroups(asked), ...characterRows(asked));
  if (
    among === 'fields' &&
    !found.some((one) => one.score >= WHOLE_NAME && LABELLED_ROLES.has(one.role))
  )
    addByPlace(found, fieldsUnderHeadings(asked));
  if (among === 'files' && !found.some((one) => one.score >= LIKELY))
    found.push(...fileInputs(asked));
  addByPlace(found, spokenParts(asked, among, found));
  if (asked.line === null) preferPictures(found, asked, options.query);
  if (among === 'fields') demoteOtherNumbers(found, asked);
  if (among !== 'all' && !found.some((one) => one.score >= LIKELY))
    found.push(...collapsedSummaries(asked));
  if (!found.some((one) => one.score > LETTERS_SCORE)) addPartial(found, partial);
  if (!asked.line) preferRareWords(found, asked);
  preferNamed(found, asked);
  preferCapitals(found, asked);
  if (among === 'fields') found.push(...fieldsBesideBoxes(found));
  const each = among === 'fields' ? preferFields(onceEach(found)) : onceEach(found);
  if (typeof options.value === 'string') preferTyped(each, options.value);
  const fields = among === 'fields' ? dropFurtherCharacters(each) : each;
  const meant = among === 'ticks' ? ticksFor(fields) : fields;
  const once = dropInnerControls(
    dropWrappingItems(
      dropDraggableWrappers(dropComboboxWrappers(dropDrawnDoubles(dropTextDoubles(meant)))),
    ),
  );
  const single = options.outermost ? dropInner(once) : once;
  const best = (among === 'all' ? dropLooseTexts(single) : single).sort(
    (a, b) => b.score - a.score || a.at - b.at,
  );
  // Where they are is asked of those only that may be shown, and that it can decide between: what
  // has but some of the words stays in the page's order.
  const least = Math.max(best[Math.min(options.limit, best.length) - 1]?.score ?? 0, LIKELY);
  const end = best.findIndex((one) => one.score < least);
  const shown = best.slice(0, end < 0 ? best.length : end);
  for (const one of shown) one.seen = isInSight(one.el);
  const rest = best.slice(shown.length);
  for (const one of rest.slice(0, options.limit)) one.seen = isInSight(one.el);
  return shown.sort((a, b) => b.score - a.score || b.seen - a.seen || a.at - b.at).concat(rest);
}

// wholeNames: where something is called exactly so, texts that lack some of the words are not looked at, and controls
// that hardly fit are left out.
function searchByNames(judge, asked, wholeNames) {
  const isPartialName =
    asked.line || asked.rest.length < 2 ? null : (name) => asked.hasOnlyQueryWords(name);
  const textHint = wholeNames && !asked.line ? asked.allWordsPattern() : null;
  if (textHint !== null) {
    const { found, partial } = searchElements(judge, asked.hint, isPartialName, textHint);
    if (found.some((one) => one.score >= WHOLE_NAME - INDIRECT_PENALTY))
      return { found: found.filter((one) => one.score >= LIKELY), partial };
  }
  return searchElements(judge, asked.hint, isPartialName);
}

// Where the query has a picture that something on the page shows, what does not show it is not meant: of "🗑 Bob", the
// button "🗑" in the row of Bob.
function preferPictures(found, asked, query) {
  const pictures = query.match(PICTURE);
  if (pictures === null || asked.rest.length === 0) return;
  const hasThem = (name) => pictures.every((picture) => name.includes(picture));
  const shown = walkElements((el, role, name, acts) => (acts && hasThem(name) ? 1 : 0));
  if (shown.length === 0) return;
  for (const one of found) if (!hasThem(one.name)) one.score = Math.min(one.score, ANOTHERS_SCORE);
  const isIn = (word, { el, name }) =>
    wordsOf(`${name} ${surroundingWords(el).words} ${sectionOf(el)}`).includes(word);
  for (const one of shown.filter((each) => asked.rest.every((word) => isIn(word, each)))) {
    const known = found.find(({ el }) => el === one.el);
    if (known) known.score = Math.max(known.score, PART_SCORE);
    else found.push(partOf(one.el, PART_SCORE, { role: one.role, name: one.name, acts: true }));
  }
}

// Where a field is meant by the words, what is only pressed is not: "Comment" is the field of that name beside a link "Add
// comment".
function preferFields(found) {
  if (!found.some(({ role, score }) => score >= LIKELY && FIELDS.has(role))) return found;
  return found.filter(({ el, role }) => !PRESSED.test(role) || el.matches(OPENS_OR_TICKS));
}

// An element that matches in several ways is one match: a group of buttons that takes the focus itself.
function onceEach(found) {
  const best = new Map();
  for (const one of found) if (!(best.get(one.el)?.score >= one.score)) best.set(one.el, one);
  return best.size === found.length ? found : [...best.values()];
}

// A field that is called by more of one, or by one of several, is not meant where the page has the words as they are:
// "Film" beside what is no field is not "Films".
function demoteOtherNumbers(found, asked) {
  const best = found.filter((one) => one.score >= LIKELY && FIELDS.has(one.role));
  const isExact = (one) => asked.hasAllWords(`${one.name} ${labelBesideOf(one.el)}`);
  if (asked.line !== null || !best.length || best.some(isExact) || !isWrittenOnPage(asked.all))
    return;
  for (const one of best)
    if (isOtherwiseCalled(asked.rest, wordsOf(`${one.name} ${labelBesideOf(one.el)}`)))
      one.score = ANOTHERS_SCORE;
}

const isOtherwiseCalled = (wanted, there) =>
  wanted.every((word) => there.some((one) => isSameWord(word, one)));

// A query that ends in a kind, such as "Paper list", may be the whole name of something on the page: then what has only
// its other words in its name is not meant, and gets a low score. texts: what cannot be acted on and has all the
// words. Returns those of them that were the reason.
function demoteNamesakes(found, texts, asked) {
  const isWhole = ({ name }) => wordsOf(name).join(' ') === asked.whole;
  const called = [...texts, ...found.filter((one) => asked.isPhraseIn(one.name))];
  const reasons = new Set();
  for (const one of found) {
    const isMeant = one.score >= LIKELY || one.score === ANOTHERS_SCORE;
    if (!isMeant || one.score >= WHOLE_NAME || called.includes(one)) continue;
    const isPart = wordsOf(one.name).join(' ') !== asked.phrase;
    const ofKind = asked.roles.has(one.role);
    if (ofKind && !isPart) continue;
    const others = called.filter(
      (other) => !nodeContains(one.el, other.el) && ((isPart && !ofKind) || isWhole(other)),
    );
    if (!others.length) continue;
    one.score = ANOTHERS_SCORE;
    for (const other of others) reasons.add(other);
  }
  return texts.filter((one) => reasons.has(one));
}

// Texts that have only some of the words say nothing beside a control that has them all.
function dropLooseTexts(found) {
  const hasLikely = found.some((one) => one.acts && one.score >= LIKELY);
  return hasLikely ? found.filter((one) => one.acts || one.score >= LIKELY) : found;
}

// Of what has only some of the words, what has those that few others have is meant first: for "delete cell",
// among the buttons of cells, those that delete.
function preferRareWords(found, asked) {
  const partial = found.filter((one) => one.score < LIKELY);
  if (asked.rest.length < 2 || partial.length < 2 || partial.length > MAX_WEIGHED) return;
  const said = partial.map((one) => asked.wordsIn(one));
  const counts = new Map();
  for (const word of said.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [at, words] of said.entries()) {
    const fewest = Math.min(partial.length, ...words.map((word) => counts.get(word)));
    const bonus = Math.round(RARITY_BONUS * (1 - fewest / partial.length));
    partial[at].score = Math.min(partial[at].score + bonus, LIKELY - 1);
  }
}

// Of controls that fit as well those whose names have some of the words are meant before those without a name that only
// stand beside the words, or below them.
function preferNamed(found, asked) {
  const controls = found.filter((one) => one.acts);
  const most = controls.reduce((score, one) => Math.max(score, one.score), 0);
  const best = most < LIKELY ? [] : controls.filter((one) => one.score > most - TIE);
  const named = best.filter((one) => one.name && asked.wordsIn(one).length > 0);
  if (!named.length || best.every((one) => one.name)) return;
  for (const one of best) if (!one.name) one.score = most - TIE;
  for (const one of named) one.score = Math.max(one.score, most);
}

// Of names that differ in capitals alone, the one with those of the query: "Edit" is not "edit". A query without any
// says nothing.
function preferCapitals(found, asked) {
  if (asked.cased === null || !found.some((one) => one.acts && one.name === asked.cased)) return;
  const same = asked.cased.toLowerCase();
  for (const one of found)
    if (one.name !== asked.cased && one.name.toLowerCase() === same) one.score -= TIE;
}

// Where nothing is called so: what stands in the cell of a column and a row that are.
function addCrossings(found, asked, among) {
  for (const one of cellsAtCrossing(asked, among)) {
    const known = found.find(({ el }) => el === one.el);
    if (known) known.score = Math.max(known.score, one.score);
    else found.push(one);
  }
}

// Where nothing comes close: the controls whose names have nothing but words that are asked for.
function addPartial(found, partial) {
  const known = new Set(found.map(({ el }) => el));
  for (const one of partial.slice(0, MAX_WEIGHED))
    if (!known.has(one.el)) found.push({ ...one, score: LETTERS_SCORE });
}

// Whether no control fits, or several of one name do equally well.
function isUndecided(found) {
  const controls = found.filter((one) => one.acts);
  const most = controls.reduce((score, one) => Math.max(score, one.score), 0);
  const best = most < WHOLE_NAME ? controls.filter((one) => one.score === most) : [];
  return most < LIKELY || (best.length > 1 && best.every((one) => one.name === best[0].name));
}

// What stands in the place asked for is meant before others of its name.
function addByPlace(found, there) {
  for (const one of there) {
    const known = found.find(({ el }) => el === one.el);
    if (known) known.score = Math.max(known.score + PLACE_LEAD, one.score);
    else found.push(one);
  }
}

// Inputs for files, seen or not: files are put into them without a click.
function fileInputs(asked) {
  return matchesEverywhere({ selector: 'input[type=file]', pierce: true })
    .map((el) => {
      const name = nameOf(el, 'file');
      return {
        el,
        role: 'file',
        name,
        acts: true,
        within: null,
        score: asked.score(el, 'file', name, true),
        at: 0,
      };
    })
    .filter((one) => one.score > 0);
}

// What has to be opened first: the summaries of what is folded up and has all the words in it.
function collapsedSummaries(asked) {
  const has = (el) => {
    const words = wordsOf(spacedTextOf(el));
    return asked.rest.every((word) => words.includes(word));
  };
  return asked.rest.length === 0
    ? []
    : matchesEverywhere({ selector: 'details:not([open]) > summary:first-of-type', pierce: true })
        .filter((el) => visibleBoxOf(el) && has(el.parentElement))
        .map((el) => ({
          el,
          role: roleOf(el),
          name: nameOf(el, 'summary'),
          acts: true,
          within: null,
          score: FOLDED_SCORE,
          at: 0,
        }));
}

// Where parts of a clickable box may be meant: what a part says as well as the box is that part, and
// what a control in it says is that control.
function closestParts(found, asked) {
  const texts = new Map(); // best scores, by box
  const controls = new Map();
  for (const { within, acts, score } of found) {
    const best = acts ? controls : texts;
    if (within !== null) best.set(within, Math.max(score, best.get(within) ?? 0));
  }
  const kept = found.filter((one) =>
    one.acts ? !isMatchedByPart(one, texts.get(one.el)) : !(controls.get(one.within) >= ALL_WORDS),
  );
  const outer = new Set(dropInner(kept.filter((one) => !one.acts)));
  return kept
    .filter((one) => one.acts || outer.has(one))
    .map((one) => (isBoxOfItems(one) ? itemMeant(one, asked) : one));
}

// Whether a match is a box that goes by the words of its items, of which it may take the clicks.
function isBoxOfItems({ el, role, acts, score }) {
  if (!acts || score < LIKELY || score >= WHOLE_NAME) return false;
  if (WIDGETS.has(role) || ITEM_OR_CELL.test(role) || hasExplicitName(el)) return false;
  const items = [...composedChildrenOf(el)].filter((one) => nodeTypeOf(one) === 1);
  return items.some((one, at) => at > 0 && areInAlikeItems(items[at - 1], one));
}

// The item of a box that has all the words, in place of the box; the box itself, `spread`, if no item has, or several.
function itemMeant(box, asked) {
  const hasAll = (one) =>
    nodeTypeOf(one) === 1 && asked.hasAllWords(spacedTextOf(one)) && visibleBoxOf(one);
  const [item, another] = [...composedChildrenOf(box.el)].filter(hasAll);
  if (!item || another) return { ...box, spread: true };
  const name = squeeze(visibleTextOf(item, MAX_SAID));
  return { ...box, el: item, role: roleOf(item) || 'text', name, acts: false, within: box.el };
}

// Whether a part says it as well: but for what a control has over a text.
const isMatchedByPart = (box, part) =>
  part >= ALL_WORDS &&
  part + ACTING_BONUS + INDIRECT_PENALTY >= box.score &&
  box.score < WHOLE_NAME;

// A text inside an element of the same words is that element, unless its kind was asked for.
function dropTextDoubles(found) {
  const acts = new Map();
  for (const one of found)
    if (one.acts) acts.set(one.name, [...(acts.get(one.name) || []).slice(-20), one]);
  return found.filter(
    (one) =>
      one.acts ||
      !(acts.get(one.name) || []).some(
        (other) => other.score >= one.score && areNested(one.el, other.el),
      ),
  );
}

const areNested = (one, other) => nodeContains(one, other) || nodeContains(other, one);

const MAX_DRAWN_LEVELS = 4; // from what is drawn to what also holds the input that it is drawn for
const isNativeTick = (el) => tagOf(el) === 'INPUT' || tagOf(el) === 'LABEL';

// A box to tick and what is drawn in its place, of one role and name and alone together, are one: what is drawn is clicked.
function dropDrawnDoubles(found) {
  const ticks = found.filter((one) => one.acts && TICK_ROLES.has(one.role));
  const drawn = ticks.filter((one) => !isNativeTick(one.el));
  if (!drawn.length || drawn.length === ticks.length) return found;
  const isDouble = (one) =>
    isNativeTick(one.el) &&
    drawn.some(
      (other) =>
        other.role === one.role && other.name === one.name && areDrawnTogether(one.el, other.el),
    );
  return found.filter((one) => !ticks.includes(one) || !isDouble(one));
}

function areDrawnTogether(native, drawn) {
  const input = tagOf(native) === 'LABEL' ? native.control : native;
  let around = composedParentOf(drawn);
  for (let level = 0; around && level < MAX_DRAWN_LEVELS; level++) {
    if (input && nodeContains(around, input)) return allMatches(around, TICKED_BOX).length === 2;
    around = composedParentOf(around);
  }
  return false;
}

// A combobox or a spin button around a text field of the same words, as ARIA 1.1 has it, is that field.
function dropComboboxWrappers(found) {
  const fields = found.filter((one) => TEXT_FIELD.test(one.role));
  if (!fields.length) return found;
  return found.filter(
    (one) =>
      (one.role !== 'combobox' && one.role !== 'spinbutton') ||
      !fields.some(
        (field) =>
          field.score >= one.score - HINT_PENALTY &&
          field.el !== one.el &&
          nodeContains(one.el, field.el),
      ),
  );
}

// What can be dragged, around a control or what shows the hand, which has all its words, is that.
function dropDraggableWrappers(found) {
  const inner = found.filter(
    ({ el, role, acts }) =>
      acts && role !== 'draggable' && (role !== 'clickable' || hasOnlyPointerCursor(el)),
  );
  return found.filter(
    ({ el, role, name }) =>
      role !== 'draggable' || !inner.some((one) => one.name === name && nodeContains(el, one.el)),
  );
}

const PRESSED_IN_ITEM = /^(?:button|link)$/;
const ITEM_OR_CELL = /^(?:menuitem|treeitem|tab|option|listitem|row|cell|gridcell)$/;

// An item of a menu, a tree or a bar around the control that its name is of is that control, as in the outline; what
// else has items and cells is so unless its kind was asked for.
function dropWrappingItems(found) {
  const inside = found.filter(
    ({ acts, role }) => acts && (role === 'clickable' || PRESSED_IN_ITEM.test(role)),
  );
  if (!inside.length) return found;
  return found.filter((item) => {
    if (!item.acts || !ITEM_OR_CELL.test(item.role)) return true;
    const isJoined = ({ role }) => PRESSED_IN_ITEM.test(role) && WRAPPING_ITEM.test(item.role);
    const inner = inside.find(
      (one) =>
        one.name === item.name &&
        (isJoined(one) || one.score > item.score - TIE) &&
        one.el !== item.el &&
        isInBox(one.el, item.el),
    );
    if (inner) inner.score = Math.max(inner.score, item.score);
    return !inner;
  });
}

// A control that is made of another one of its role and name, such as a box to tick in a shadow tree, is one control.
function dropInnerControls(found) {
  const controls = new Map(
    found
      .filter((one) => one.acts && one.score >= LIKELY && WIDGETS.has(one.role))
      .map((one) => [one.el, one]),
  );
  const isPart = ({ el, role, name }) => {
    for (let at = composedParentOf(el); at; at = composedParentOf(at))
      if (controls.has(at)) return controls.get(at).role === role && controls.get(at).name === name;
    return false;
  };
  return controls.size < 2 ? found : found.filter((one) => !controls.has(one.el) || !isPart(one));
}

// Of equal things one inside the other the outer one: a section and its heading.
function dropInner(found) {
  const outer = new Map();
  return found.filter((one) => {
    const same = outer.get(one.name) || [];
    if (same.some((el) => nodeContains(el, one.el))) return false;
    outer.set(one.name, [...same.slice(-20), one.el]);
    return true;
  });
}

function isInBox(el, box) {
  let at = el;
  while (at && at !== box) at = composedParentOf(at);
  return at !== null;
}

const ITEM_TAGS = new Set(['LI', 'TR', 'TD', 'OPTION']);

// Whether two elements stand in different items of one kind, such as rows: what listens around them can tell which
// item was clicked.
function areInAlikeItems(one, other) {
  const branches = new Map();
  for (let at = one; at; at = composedParentOf(at)) branches.set(composedParentOf(at), at);
  let branch = other;
  while (branch && !branches.has(composedParentOf(branch))) branch = composedParentOf(branch);
  const first = branch && branches.get(composedParentOf(branch));
  if (!first || first === branch || tagOf(first) !== tagOf(branch)) return false;
  return ITEM_TAGS.has(tagOf(first)) || first.classList[0] === branch.classList[0];
}

function describeMatches(found, options) {
  const shown = found.slice(0, options.limit);
  const names = new Set(shown.map((one) => one.name));
  const count = new Map();
  for (const one of found) {
    if (names.has(one.name))
      count.set(`${one.role} ${one.name}`, (count.get(`${one.role} ${one.name}`) || 0) + 1);
  }
  const lines = addPlacesToLines(
    shown,
    shown.map((one) => lineOf(one, count.get(`${one.role} ${one.name}`) === 1)),
  );
  const isTied = (one) => one.acts && one.score > shown[0].score - TIE;
  const cover = shown.filter(isTied).length > 1 ? windowCover() : null;
  const box = cover && coveringBox();
  // What is out of sight may come to stand under a cover of the whole window, unless it is in it.
  const isUnder = ({ el, seen }) =>
    isBehindCover(el, cover) || (!seen && !isInBox(el, cover) && !isInBox(el, box));
  const isOutOfReach = (one) => isCovered(one.el) || (cover !== null && isUnder(one));
  return shown.map((one, number) => ({
    line: lines[number],
    ref: `e${refOf(one.el)}`,
    role: one.role,
    name: clip(one.name),
    score: one.score,
    acts: one.acts,
    seen: one.seen,
    at: one.at ?? 0,
    covered: isTied(one) && isOutOfReach(one),
    ...(one.spread ? { spread: true } : {}),
    alike: one.score > shown[0].score - TIE && areInAlikeItems(shown[0].el, one.el),
    ...(one.within && options.among === 'clickable' ? { within: `e${refOf(one.within)}` } : {}),
  }));
}

function findByWords(options) {
  const found = rankMatches(options);
  return { matches: describeMatches(found, options), total: found.length };
}

// The document, its frames and its shadow trees, from outside in.
const searchScopes = oncePerTurn((top) => {
  const scopes = [top];
  for (const scope of scopes) {
    for (const host of allMatches(scope, '*')) {
      const inner =
        shadowRootOf(host) || (FRAME_TAGS.has(host.tagName) ? innerDocument(host) : null);
      if (inner) scopes.push(inner);
      else if (tagOf(host) !== 'FORM') suspectHost(host);
    }
  }
  return scopes;
});

// All matches of a selector or an XPath in the document; with `pierce`, in its frames and shadow trees, too.
function matchesEverywhere(options) {
  const scopes = options.pierce ? searchScopes(document) : [document];
  const found = new Set();
  for (const scope of scopes) for (const el of matchesIn(scope, options)) found.add(el);
  return [...found];
}

function matchesIn(scope, { selector, xpath }) {
  if (selector) return allMatches(scope, selector);
  const document = documentOf(scope) || scope;
  if (scope === document) return xpathMatches(document, xpath, document);
  // A shadow root itself is no place for a path to start from; the elements in it are.
  const starts = xpath.trim().startsWith('/')
    ? [...scope.children].slice(0, 1)
    : [...scope.children];
  return starts.flatMap((start) => xpathMatches(document, xpath, start));
}

function xpathMatches(document, xpath, start) {
  const result = evaluateIn(
    document,
    xpath,
    start,
    null,
    XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
    null,
  );
  const found = [];
  for (let at = 0; at < result.snapshotLength; at++) {
    const node = result.snapshotItem(at);
    if (nodeTypeOf(node) === Node.ELEMENT_NODE) found.push(node);
    else if (node.ownerElement || node.parentElement)
      found.push(node.ownerElement || node.parentElement);
  }
  return found;
}

Object.assign(globalThis.openchrome, { find: (options) => runReader(findByWords, options) });
