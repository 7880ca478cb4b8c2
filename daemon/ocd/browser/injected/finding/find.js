// Finding elements by words: what the outline would show, ranked by how well it fits.

const ROLE_WORDS = {
  button: ['button', 'summary'], btn: ['button'], link: ['link'], heading: ['heading'], title: ['heading'],
  field: [...FIELDS], input: [...FIELDS], textbox: ['textbox', 'searchbox'], box: ['textbox', 'searchbox', 'checkbox', 'combobox'],
  textarea: ['textbox'], checkbox: ['checkbox', 'switch'], radio: ['radio'], switch: ['switch', 'checkbox'], toggle: ['switch', 'button', 'checkbox'],
  dropdown: ['combobox', 'listbox', 'button'], select: ['combobox', 'listbox'], combobox: ['combobox'], option: ['option', 'radio'],
  tab: ['tab'], menu: ['menu', 'menuitem', 'button'], image: ['img'], icon: ['img', 'button'], slider: ['slider'], row: ['row'],
  dialog: ['dialog', 'alertdialog'], table: ['table'], grid: ['grid', 'treegrid', 'table'], list: ['list'],
};
const FILLERS = new Set('the a an in of on at for with to by from and'.split(' '));
const LONG_DESCRIPTION = /( description="[^"]{60})[^"]{2,}"$/;
const LIKELY = 40; // what scores less has only some of the words
const ALL_WORDS = 58; // what scores more has all of them in its name
const WHOLE_NAME = 98; // its name says these words and no others
const FOLDED_SCORE = 20;
const PLACE_LEAD = 3; // by so much the best has to be better than the next to be meant alone
const ADJACENT_PENALTY = 1; // a label is surer than the words beside a field
const HINT_PENALTY = 2; // and both than the class of an icon
const ACTING_BONUS = 6; // what can be acted on is meant rather than a text of the same words
// What an outline says of an element behind its name, and the words for being without it.
const STATES = new Set('checked selected pressed expanded collapsed disabled focused multiline readonly required invalid'.split(' '));
const STATES_NOT = new Map([['unchecked', 'checked'], ['unselected', 'selected'], ['enabled', 'disabled']]);
const STATE_SCORE = 76; // the best by a state: what is called so and is of the kind asked for is meant before
const KIND_BONUS = 20; // a kind and a state say more than a kind
const BARE_STATE_SCORE = 50;

function parseQuoted(text) {
  try { return JSON.parse(text); } catch { return text.slice(1, -1); }
}

// A query that is an element's line in the outline: button "Delete" in: Bob. In a row: recorded so.
const AS_LINE = /^([\w-]+) ("(?:[^"\\]|\\.)+")(?: in( row)?: (.*))?$/s;
const OTHER_ROW_SCORE = 30; // the best that an element of another row scores: it is shown, not acted on
const NUMBER = /\p{N}/u;
const CUT_BEGINNING = /^… /; // of a name that begins as those in the rows above
const TEXT_FIELD = /^(?:textbox|searchbox)$/;

// The words of a text; of one that was cut, the last may be half a word.
const completeWords = (text) => wordsOf(text.endsWith('…') ? text.slice(0, text.search(/(?<!\S)\S*…$/)) : text);
const lacksNumbers = (wanted, there) => wanted.some((word) => NUMBER.test(word) && !there.includes(word));

// A query taken apart once.
class SearchQuery {
  constructor(query) {
    const line = AS_LINE.exec(squeeze(query));
    this.line = line && { role: line[1], name: parseQuoted(line[2]), row: line[3] !== undefined, around: [...new Set(completeWords(line[4] || ''))] };
    if (this.line) query = `${this.line.name} ${this.line.role}`;
    this.text = squeeze(query).toLowerCase();
    const words = wordsOf(query);
    this.roles = new Set(words.flatMap((word) => ROLE_WORDS[word] || (ROLES.has(word) || WIDGETS.has(word) ? [word] : [])));
    this.all = words;
    const rest = words.filter((word) => !ROLE_WORDS[word] && !FILLERS.has(word));
    this.rest = rest;
    this.phrase = rest.join(' ');
    this.stems = rest.map((word) => word.slice(0, 4));
    this.whole = words.join(' ');
    this.states = this.line ? [] : words.filter((word) => STATES.has(word) || STATES_NOT.has(word));
    this.stateless = this.states.length ? new SearchQuery(words.filter((word) => !this.states.includes(word)).join(' ')) : null;
    this.hint = this.stateless && !this.stateless.rest.length ? null : this.hinting();
  }

  // What the name or the further words of all that fit have in them, whatever their case; null if
  // that may be anything.
  hinting() {
    if (!this.rest.length) return null;
    const begun = this.line ? [/\S{1,4}/u.exec(this.line.name)?.[0] ?? ''] : [];
    // No half of a pair at the end: the expression knows whole signs only.
    const parts = [...this.stems, ...begun].map((part) => part.replace(/[\ud800-\udbff]$/, '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    // A dotted capital I has two letters as a small one.
    return new RegExp([...parts, '\u0130'].join('|'), 'iu');
  }

  // Whether a name has nothing but words that are asked for.
  isPart(name) {
    const words = wordsOf(name);
    return words.length > 0 && words.every((word) => this.rest.includes(word));
  }

  // Whether a name has all the words.
  isIn(name) {
    const words = wordsOf(name);
    return this.rest.every((word) => words.includes(word));
  }

  // How well an element fits, 0 for not at all.
  score(el, role, name, acts) {
    const score = this.spoken(el, role, name, acts);
    if (!this.stateless || !acts || score >= STATE_SCORE) return score;
    const { all, roles } = this.stateless;
    const kind = roles.has(role) ? KIND_BONUS : 0;
    const stated = all.length ? Math.min(this.stateless.score(el, role, name, acts) + kind, STATE_SCORE) : BARE_STATE_SCORE;
    return stated > score && this.isStated(el, role) ? stated : score;
  }

  // Whether an element is in the states that are asked for.
  isStated(el, role) {
    const control = el.tagName === 'LABEL' && el.control ? el.control : el;
    const said = statesOf(control, role, activeElementOf(documentOf(control))).split(' ');
    return this.states.every((word) => (STATES.has(word) ? said.includes(word)
      : !said.includes(STATES_NOT.get(word)) && (word !== 'unchecked' || CHECKABLE_ROLES.test(role))));
  }

  // How well it fits by its name, by the words beside it, and by its icon.
  spoken(el, role, name, acts) {
    const score = this.nameScore(el, role, name, acts);
    if (!acts) return score;
    const words = isUnlabelled(el, role, name) ? labelBesideOf(el) : '';
    if (words) return Math.max(score, this.nameScore(el, role, words, acts) - ADJACENT_PENALTY);
    const hint = name ? '' : hintIfWordless(el, role).slice(2, -1);
    return hint ? Math.max(score, this.nameScore(el, role, hint, acts) - HINT_PENALTY) : score;
  }

  // How well it fits by a name.
  nameScore(el, role, name, acts) {
    if (!this.line) return this.fit(el, role, name, acts);
    const named = clip(name) === this.line.name || (CUT_BEGINNING.test(this.line.name) && clip(name).endsWith(this.line.name.slice(1)));
    const same = named && (role === this.line.role || (role === 'clickable' && !ROLES.has(this.line.role)));
    const score = same ? 80 + this.near(el, acts) : Math.min(this.fit(el, role, name, acts), named ? 70 : 60);
    const other = score > OTHER_ROW_SCORE && ((!named && lacksNumbers(completeWords(this.line.name), wordsOf(name))) || this.elsewhere(el, acts));
    return other ? OTHER_ROW_SCORE : score;
  }

  // Whether it stands in another row than that of the line: a number of it is not there, or words
  // stand in the place of others. Words that only came, or only went, are a message in the same row.
  elsewhere(el, acts) {
    const { around: wanted, row } = this.line;
    if (!wanted.length) return false;
    const { words, repeated } = surroundingWords(el);
    const there = wordsOf(`${otherWords(el, acts, true)} ${words}`);
    const gone = wanted.filter((word) => !there.includes(word));
    if (!gone.length || lacksNumbers(gone, [])) return gone.length > 0;
    return (row || repeated) && completeWords(clip(squeeze(words), 200)).some((word) => !wanted.includes(word));
  }

  // Up to 20 for the words around that are still there.
  near(el, acts) {
    const { around } = this.line;
    if (!around.length) return 20;
    const there = new Set(wordsOf(otherWords(el, acts, true)));
    return Math.round((20 * around.filter((word) => there.has(word)).length) / around.length);
  }

  fit(el, role, name, acts) {
    const fits = this.roles.size === 0 ? 0 : this.roles.has(role) ? 6 : -12;
    const kind = (acts ? ACTING_BONUS : 0) - (role === 'clickable' ? 3 : 0);
    const low = name.toLowerCase();
    if (low && low === this.text) return 100 + kind;
    // Most of a page has nothing to do with the words: that must cost next to nothing.
    const there = low === '' ? 0 : this.stemsIn(low);
    const spoken = there || !this.rest.length ? wordsOf(low) : [];
    const said = spoken.join(' ');
    if (said === this.whole && said !== '') return 98 + kind;
    if (!this.rest.length) return this.roles.has(role) ? 50 + kind : 0;
    const all = there === this.stems.length ? this.words(said, spoken) : 0;
    const score = all || this.further(el, acts, spoken);
    return score > 0 ? Math.max(1, score + fits + kind) : 0;
  }

  stemsIn(low) {
    let count = 0;
    for (const stem of this.stems) if (low.includes(stem)) count++;
    return count;
  }

  // Where all the words are in the name, in one way or another; else 0.
  words(said, spoken) {
    if (said === this.phrase) return 90;
    if (said.startsWith(`${this.phrase} `)) return 80;
    if (` ${said} `.includes(` ${this.phrase} `)) return 74;
    if (this.rest.every((word) => spoken.includes(word))) return 68;
    const start = this.rest.filter((word) => spoken.some((one) => one.startsWith(word) || (one.length > 3 && word.startsWith(one))));
    if (start.length === this.rest.length) return 60;
    return said.includes(this.phrase) && this.phrase.length > 1 ? 58 : 0;
  }

  // Where words are missing in the name, they may be among what else is known of the element.
  further(el, acts, spoken) {
    const missing = spoken.length ? this.rest.filter((word) => !spoken.includes(word)) : this.rest;
    const hits = this.rest.length - missing.length;
    const extra = otherWords(el, acts, hits > 0).toLowerCase();
    const left = extra ? missing.filter((word) => !extra.includes(word) || !hasWord(wordsOf(extra), word)) : missing;
    if (!left.length) return hits ? 66 : 40;
    const share = (this.rest.length - left.length) / this.rest.length;
    return share >= 0.5 ? Math.round(30 * share) : 0;
  }
}

// Whether a word, or more than one of it, is among words: "Add" in the row "Users" adds a user.
const hasWord = (words, word) => words.includes(word) || words.includes(`${word}s`);

function otherWords(el, acts, partly) {
  // Most links have an address and nothing else.
  const bare = !el.hasAttributes() || (tagOf(el) === 'A' && el.attributes.length === 1 && el.hasAttribute('href'));
  if (bare) return acts && partly ? `${surroundingWords(el).words} ${sectionOf(el)}` : '';
  const said = [el.placeholder, el.title, el.name, el.id, el.type, el.getAttribute('alt'), el.getAttribute('data-testid')];
  const text = said.filter((one) => typeof one === 'string').join(' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return acts && partly ? `${text} ${surroundingWords(el).words} ${sectionOf(el)}` : text;
}

let sectionNames = new Map(); // for the time of one search

// The name or the heading of what an element stands in.
function sectionOf(el) {
  const passed = [];
  let found = '';
  for (let at = composedParentOf(el); at && tagOf(at) !== 'BODY'; at = composedParentOf(at)) {
    found = sectionNames.get(at);
    if (found !== undefined) break;
    passed.push(at);
    found = titleOf(at);
    if (found) break;
  }
  for (const at of passed) sectionNames.set(at, found || '');
  return found || '';
}

function titleOf(el) {
  if (clobbered(el)) return clobberedFormName(el);
  const name = el.tagName === 'FIELDSET' || hasName(el) ? nameOf(el, roleOf(el)) : '';
  if (name || !/^(SECTION|ARTICLE|FORM|DIALOG|ASIDE|NAV)$/.test(el.tagName)) return name;
  const heading = el.querySelector('h1, h2, h3, h4, h5, h6, legend');
  return heading ? squeeze(visibleTextOf(heading, 200).slice(0, 200)) : '';
}

function isInSight(el) {
  const box = boundingBoxOf(el);
  const view = windowOf(documentOf(el)) || window;
  return box.bottom > 0 && box.right > 0 && box.top < view.innerHeight && box.left < view.innerWidth;
}

// One line about an element, as in the outline, with what tells it from others of its name.
function lineOf(one, alone) {
  if (clobbered(one.el)) return `form [ref=e${refOf(one.el)}]`;
  const control = one.el.tagName === 'LABEL' && one.el.control ? one.el.control : one.el;
  let line = one.role || one.el.tagName.toLowerCase();
  if (one.name) line += ` ${quote(clip(one.name))}`;
  else if (one.acts) line += hintIfWordless(control, one.role);
  const beside = isUnlabelled(control, one.role, one.name) ? labelBesideOf(control) : '';
  line += ` [ref=e${refOf(one.el)}]${beside ? ` beside ${quote(beside)}` : ''}${statesOf(control, one.role, activeElementOf(documentOf(one.el)))}`;
  if (!FIELDS.has(one.role) && isCovered(one.el)) line += ' [covered]';
  if (one.role !== 'text') line += clip(detailOf(control, one.role, one.name, null).replace(LONG_DESCRIPTION, '$1…"'), 300);
  if (one.score < LIKELY) line += ' (partial match)';
  const { at, words } = surroundingWords(one.el);
  let context = alone ? '' : squeeze(words ? visibleTextOf(at, 800).replace(one.name, ' ').slice(0, 400) : '');
  const section = alone ? '' : sectionOf(one.el);
  if (section && !context.includes(section)) context = context ? `${context} / ${section}` : section;
  return context ? `${line} in: ${clip(context, 120)}` : line;
}

function rankMatches(options) {
  const asked = new SearchQuery(options.query);
  const { among } = options;
  const wanted = (acts, within) => acts || among === 'all' || (among === 'clickable' && within !== null);
  const judge = (el, role, name, acts, within) => (wanted(acts, within) ? asked.score(el, role, name, acts) : 0);
  const { found: seen, aside } = seekBoth(judge, asked.hint, asked.line || asked.rest.length < 2 ? null : (name) => asked.isPart(name));
  const found = among === 'clickable' ? closestParts(seen) : seen;
  if (!found.some((one) => one.score >= ALL_WORDS && asked.isIn(one.name))) addCrossings(found, asked, among);
  if (!asked.line && isUndecided(found)) addByPlace(found, matchesByPlace(asked, aside));
  if (among === 'fields') found.push(...matchingGroups(asked));
  if (among === 'fields' && !found.some((one) => one.score >= WHOLE_NAME && LABELLED_ROLES.has(one.role))) addByPlace(found, fieldsUnderHeadings(asked));
  if (among === 'files' && !found.some((one) => one.score >= LIKELY)) found.push(...fileInputs(asked));
  if (among !== 'all' && !found.some((one) => one.score >= LIKELY)) found.push(...collapsedWith(asked));
  const once = dropInnerBoxes(dropDraggableWrappers(dropComboboxWrappers(dropTextDoubles(found))));
  const single = options.apart ? dropInner(once) : once;
  const best = (among === 'all' ? dropLooseTexts(single) : single).sort((a, b) => b.score - a.score || a.at - b.at);
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

// Texts that have only some of the words say nothing beside a control that has them all.
function dropLooseTexts(found) {
  const isMet = found.some((one) => one.acts && one.score >= LIKELY);
  return isMet ? found.filter((one) => one.acts || one.score >= LIKELY) : found;
}

// Where nothing is called so: what stands in the cell of a column and a row that are.
function addCrossings(found, asked, among) {
  for (const one of cellsAtCrossing(asked, among)) {
    const known = found.find(({ el }) => el === one.el);
    if (known) known.score = Math.max(known.score, one.score);
    else found.push(one);
  }
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
  return matchesEverywhere({ selector: 'input[type=file]', pierce: true }).map((el) => {
    const name = nameOf(el, 'file');
    return { el, role: 'file', name, acts: true, within: null, score: asked.score(el, 'file', name, true), at: 0 };
  }).filter((one) => one.score > 0);
}

// What has to be opened first: the summaries of what is folded up and has all the words in it.
function collapsedWith(asked) {
  const has = (el) => { const words = wordsOf(spacedTextOf(el)); return asked.rest.every((word) => words.includes(word)); };
  return asked.rest.length === 0 ? [] : matchesEverywhere({ selector: 'details:not([open]) > summary:first-of-type', pierce: true })
    .filter((el) => visibleBoxOf(el) && has(el.parentElement))
    .map((el) => ({ el, role: roleOf(el), name: nameOf(el, 'summary'), acts: true, within: null, score: FOLDED_SCORE, at: 0 }));
}

// Where parts of a clickable box may be meant: what a part says as well as the box is that part, and
// what a control in it says is that control.
function closestParts(found) {
  const texts = new Map(); // best scores, by box
  const controls = new Map();
  for (const { within, acts, score } of found) {
    const best = acts ? controls : texts;
    if (within !== null) best.set(within, Math.max(score, best.get(within) ?? 0));
  }
  const kept = found.filter((one) => (one.acts ? !isSaidByPart(one, texts.get(one.el)) : !(controls.get(one.within) >= ALL_WORDS)));
  const outer = new Set(dropInner(kept.filter((one) => !one.acts)));
  return kept.filter((one) => one.acts || outer.has(one));
}

// Whether a part says it as well: but for what a control has over a text.
const isSaidByPart = (box, part) => part >= ALL_WORDS && part + ACTING_BONUS >= box.score && box.score < WHOLE_NAME;

// A text inside an element of the same words is that element.
function dropTextDoubles(found) {
  const acts = new Map();
  for (const one of found) if (one.acts) acts.set(one.name, [...(acts.get(one.name) || []).slice(-20), one.el]);
  return found.filter((one) => one.acts
    || !(acts.get(one.name) || []).some((el) => nodeContains(el, one.el) || nodeContains(one.el, el)));
}

// A combobox around a text field of the same words, as ARIA 1.1 has it, is that field.
function dropComboboxWrappers(found) {
  const fields = found.filter((one) => TEXT_FIELD.test(one.role));
  if (!fields.length) return found;
  return found.filter((one) => one.role !== 'combobox'
    || !fields.some((field) => field.score >= one.score - HINT_PENALTY && field.el !== one.el && nodeContains(one.el, field.el)));
}

// What can be dragged, around what shows the hand and has all its words, is that.
function dropDraggableWrappers(found) {
  const clicked = found.filter((one) => one.role === 'clickable');
  return found.filter(({ el, role, name }) => role !== 'draggable'
    || !clicked.some((one) => one.name === name && nodeContains(el, one.el) && hasOnlyPointerCursor(one.el)));
}

// A box to tick that is made of another one of its name, in its shadow tree, is one box.
function dropInnerBoxes(found) {
  const boxes = new Map(found.filter((one) => one.acts && TICK_ROLES.has(one.role)).map((one) => [one.el, one]));
  const isPart = ({ el, role, name }) => {
    for (let at = composedParentOf(el); at; at = composedParentOf(at)) if (boxes.has(at)) return boxes.get(at).role === role && boxes.get(at).name === name;
    return false;
  };
  return boxes.size < 2 ? found : found.filter((one) => !boxes.has(one.el) || !isPart(one));
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

function describeMatches(found, options) {
  const shown = found.slice(0, options.limit);
  const names = new Set(shown.map((one) => one.name));
  const count = new Map();
  for (const one of found) {
    if (names.has(one.name)) count.set(`${one.role} ${one.name}`, (count.get(`${one.role} ${one.name}`) || 0) + 1);
  }
  const lines = addPlacesToLines(shown, shown.map((one) => lineOf(one, count.get(`${one.role} ${one.name}`) === 1)));
  return shown.map((one, number) => ({
    line: lines[number],
    ref: `e${refOf(one.el)}`, role: one.role, name: clip(one.name), score: one.score, acts: one.acts, seen: one.seen, at: one.at ?? 0,
    ...(one.within && options.among === 'clickable' ? { within: `e${refOf(one.within)}` } : {}),
  }));
}

function findByWords(options) {
  const found = rankMatches(options);
  return { matches: describeMatches(found, options), total: found.length };
}

// All matches of a selector or an XPath, in the document, its frames and its shadow trees.
function matchesEverywhere(options) {
  const found = new Set();
  const scopes = [document];
  for (const scope of scopes) {
    for (const el of matchesIn(scope, options)) found.add(el);
    if (!options.pierce) continue;
    for (const host of allMatches(scope, '*')) {
      const inner = shadowRootOf(host) || (FRAME_TAGS.has(host.tagName) ? innerDocument(host) : null);
      if (inner) scopes.push(inner);
      else if (tagOf(host) !== 'FORM') suspectHost(host);
    }
  }
  return [...found];
}

function matchesIn(scope, { selector, xpath }) {
  if (selector) return allMatches(scope, selector);
  const document = documentOf(scope) || scope;
  if (scope === document) return xpathMatches(document, xpath, document);
  // A shadow root itself is no place for a path to start from; the elements in it are.
  const starts = xpath.trim().startsWith('/') ? [...scope.children].slice(0, 1) : [...scope.children];
  return starts.flatMap((start) => xpathMatches(document, xpath, start));
}

function xpathMatches(document, xpath, start) {
  const result = evaluateIn(document, xpath, start, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const found = [];
  for (let at = 0; at < result.snapshotLength; at++) {
    const node = result.snapshotItem(at);
    if (nodeTypeOf(node) === Node.ELEMENT_NODE) found.push(node);
    else if (node.ownerElement || node.parentElement) found.push(node.ownerElement || node.parentElement);
  }
  return found;
}

Object.assign(globalThis.openchrome, { find: (options) => runReader(findByWords, options) });
