// A query taken apart, and how well an element fits it.

const ROLE_WORDS = {
  button: ['button', 'summary'],
  btn: ['button'],
  link: ['link'],
  heading: ['heading'],
  title: ['heading'],
  field: [...FIELDS],
  input: [...FIELDS],
  textbox: ['textbox', 'searchbox'],
  box: ['textbox', 'searchbox', 'checkbox', 'combobox'],
  textarea: ['textbox'],
  checkbox: ['checkbox', 'switch'],
  radio: ['radio'],
  switch: ['switch', 'checkbox'],
  toggle: ['switch', 'button', 'checkbox'],
  dropdown: ['combobox', 'listbox', 'button'],
  select: ['combobox', 'listbox'],
  combobox: ['combobox'],
  option: ['option', 'radio'],
  tab: ['tab'],
  menu: ['menu', 'menuitem', 'button'],
  image: ['img'],
  icon: ['img', 'button'],
  slider: ['slider'],
  row: ['row'],
  dialog: ['dialog', 'alertdialog'],
  table: ['table'],
  grid: ['grid', 'treegrid', 'table'],
  list: ['list'],
};
// Roles as outlines write them, which are not words that names are made of.
const ROLE_TOKENS = new Set(
  (
    'alertdialog clickable columnheader draggable gridcell listbox listitem menubar menuitem menuitemcheckbox' +
    ' menuitemradio progressbar radiogroup rowheader scrollbar searchbox spinbutton tablist tabpanel treegrid treeitem'
  ).split(' '),
);
for (const role of ROLE_TOKENS) ROLE_WORDS[role] = [role];
// What such a role is called by itself: other words for it mean one that opens or toggles something.
const OWN_WORDS = { button: /^(?:button|btn)$/, menuitem: /^menuitem$/ };
const OPENS_OR_TOGGLES = '[aria-haspopup], [aria-expanded], [aria-pressed]';
// What is pressed and what is written into are never taken for each other, but for buttons that open a list or a picker;
// nor are links and buttons for what is ticked, but for those that stay pressed.
const PRESSED = /^(?:button|link|menuitem|summary|tab)$/;
const WRITTEN_INTO = /^(?:searchbox|spinbutton|textbox)$/;
const NATIVE_CHOICE = 'select, input[list], input[type=range]';
const OPENS_OR_TICKS = [
  ...['listbox', 'dialog', 'grid', 'tree'].map((kind) => `[aria-haspopup=${kind}]`),
  '[aria-pressed]',
].join();
const PARTICLES = new Set('in of on at for with to by from'.split(' '));
const ARTICLES = new Set(['the', 'a', 'an']);
const FILLERS = new Set([...PARTICLES, 'the', 'a', 'an', 'and']);
// What turns the meaning of the words beside it: "Zoom in" is not "Zoom out".
const OPPOSITE_WORDS = new Map([
  ['in', 'out'],
  ['out', 'in'],
  ['on', 'off'],
  ['off', 'on'],
  ['from', 'to'],
  ['to', 'from'],
  ['with', 'without'],
  ['without', 'with'],
  ['up', 'down'],
  ['down', 'up'],
]);
// Short forms that people say, by what the whole word begins with.
const FULL_FORMS = new Map(
  Object.entries({
    admin: 'administrat',
    app: 'application',
    auth: 'authentic',
    config: 'configuration',
    desc: 'description',
    info: 'information',
    lang: 'language',
    mail: 'email',
    max: 'maximum',
    min: 'minimum',
    org: 'organi',
    param: 'parameter',
    phone: 'telephone',
    photo: 'photograph',
    repo: 'repositor',
    stats: 'statistic',
    tele: 'telephone',
  }),
);
const IDS_SCORE = 28; // it is shown as what comes close, and not acted on
const ADJACENT_PENALTY = 1; // a label is surer than the words beside a field
const HINT_PENALTY = 2; // and both than the class of an icon
const FOLDED_PENALTY = 3; // and the letters as they are than those without accents
const ACTING_BONUS = 6; // what can be acted on is meant rather than a text of the same words
// What an outline says of an element behind its name, and the words for being without it.
const STATES = new Set(
  'checked selected pressed expanded collapsed disabled focused multiline readonly required invalid'.split(
    ' ',
  ),
);
const STATES_NOT = new Map([
  ['unchecked', 'checked'],
  ['unselected', 'selected'],
  ['enabled', 'disabled'],
]);
const STATE_SCORE = 76; // the best by a state: what is called so and is of the kind asked for is meant before
const KIND_BONUS = 20; // a kind and a state say more than a kind
const BARE_STATE_SCORE = 50;
const BARE_KIND_SCORE = 50;
const KIND_FITS = 6;
const KIND_DIFFERS = -12;

function parseQuoted(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}

// A query that is an element's line in the outline: button "Delete" in: Bob. In a row: recorded so.
const AS_LINE = /^([\w-]+) ("(?:[^"\\]|\\.)+")(?: in( row)?: (.*))?$/s;
const OTHER_ROW_SCORE = 30; // the best that an element of another row scores: it is shown, not acted on
const LETTERS_SCORE = 18; // of a word that has the letters of a short one in it
const ANOTHERS_SCORE = 25; // of what has some of the words, where all of them name another thing
const EXACT_WORDS = 68; // of a name that has all the words as they are
const AROUND_SCORE = 66; // of a name that has all the words but one, which stands around it; less for each further one
const MIN_AROUND_SCORE = 60;
const WHOLE_PHRASE = 90; // of a name that is the words without those for a kind
const NAMESAKE_SCORE = 26; // of that thing, which cannot be acted on
const JOINED_SCORE = 92; // of a name that is spelt in more words, or in fewer
const MAX_JOINED_WORDS = 3; // words
const MIN_LETTERS = 4;
const MAX_LETTERS = 20;
const NUMBER = /\p{N}/u;
const NOT_LATIN = /[^\p{Script=Latin}\p{Script=Common}]/u;
// Scripts without spaces, and those that write an article or "and" as a part of the next word.
const JOINS_WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Arabic}\p{Script=Hebrew}]/u;
// "50" is not a part of "4.50".
const DECIMALS = /(?<![\d.,])\d+(?:,\d{3})*[.,]\d+(?!\d|[.,]\d)/g;
const CUT_BEGINNING = /^… /; // of a name that begins as those in the rows above

// The words of a text; of one that was cut, the last may be half a word.
const completeWords = (text) =>
  wordsOf(text.endsWith('…') ? text.slice(0, text.search(/(?<!\S)\S*…$/)) : text);
const lacksNumbers = (wanted, there) =>
  wanted.some((word) => NUMBER.test(word) && !there.includes(word));

// A few words written as one; "" if there are numbers in them, or too many letters.
function joinedLetters(words) {
  const letters = words.join('');
  const fits =
    words.length <= MAX_JOINED_WORDS &&
    letters.length >= MIN_LETTERS &&
    letters.length <= MAX_LETTERS;
  return fits && !NUMBER.test(letters) ? letters : '';
}

// A query taken apart once.
class SearchQuery {
  constructor(query) {
    const line = AS_LINE.exec(squeeze(query));
    this.line = line && {
      role: line[1],
      name: parseQuoted(line[2]),
      row: line[3] !== undefined,
      around: [...new Set(completeWords(line[4] || ''))],
    };
    if (this.line) query = `${this.line.name} ${this.line.role}`;
    this.cased = /\p{Lu}/u.test(query) ? squeeze(query) : null;
    this.text = squeeze(query).toLowerCase();
    this.isFoldable = FOLDABLE.test(query);
    this.folded = null; // the same query without accents
    const words = wordsOf(query);
    this.all = words;
    // "a" says nothing by itself, but much in "a.txt".
    const parts = query
      .split(/\s/)
      .map(wordsOf)
      .filter((part) => part.length > 0);
    const last = parts.findLastIndex((part) => !ROLE_WORDS[part.join(' ')]);
    const said = parts
      .filter((part, at) => part.length !== 1 || !FILLERS.has(part[0]) || (at === last && at > 0))
      .flat();
    this.ending = said.findLast((word) => !ROLE_WORDS[word]); // "Sign in" is not "Sign"
    const named = said.filter((word) => !ROLE_WORDS[word]);
    this.kinds = said.length && !named.length ? said : []; // where nothing but kinds is said
    // Of several kinds all but the last may be a name, and so may one alone: "Title field", "Title".
    const rest = !this.kinds.length ? named : said.length > 1 ? said.slice(0, -1) : said;
    this.roles = new Set(
      (this.kinds.length ? said.slice(-1) : words).flatMap(
        (word) => ROLE_WORDS[word] || (ROLES.has(word) || WIDGETS.has(word) ? [word] : []),
      ),
    );
    this.kindWords = said.filter((word) => ROLE_WORDS[word] && !rest.includes(word));
    this.hasDecimals = query.search(DECIMALS) >= 0;
    this.tokens = new Set(this.kindWords.filter((word) => ROLE_TOKENS.has(word)));
    this.rest = rest;
    this.phrase = rest.join(' ');
    this.stems = rest.map((word) => singularOf(word).slice(0, 4));
    this.particles = words.filter(
      (word) => OPPOSITE_WORDS.has(word) && !words.includes(OPPOSITE_WORDS.get(word)),
    );
    this.whole = words.join(' ');
    this.unkinded = words
      .slice(ARTICLES.has(words[0]) ? 1 : 0, ROLE_WORDS[words.at(-1)] ? -1 : undefined)
      .join(' '); // "the Toggle icon button" may be called "Toggle icon"
    this.joined = joinedLetters(words);
    this.states = this.line ? [] : words.filter((word) => STATES.has(word) || STATES_NOT.has(word));
    this.stateless = this.states.length
      ? new SearchQuery(words.filter((word) => !this.states.includes(word)).join(' '))
      : null;
    this.hint = this.stateless && !this.stateless.rest.length ? null : this.hintPattern();
  }

  // A pattern that the name, or the other words, of all that fits have in them; null if that may be
  // anything.
  hintPattern() {
    if (this.kinds.length || !this.rest.length) return null;
    const begun = this.line ? [/\S{1,4}/u.exec(this.line.name)?.[0] ?? ''] : [];
    const parts = [...this.stems, ...this.kindWords, ...begun].map(textPattern);
    if (this.joined) parts.push([...this.joined].join('[\\s-]?'));
    // A dotted capital I has two letters as a small one.
    return new RegExp([...parts, '\u0130'].join('|'), 'iu');
  }

  // A pattern that a text has to match if it has all the words; null for one word.
  allWordsPattern() {
    const parts = [...new Set([...this.stems, ...this.kindWords])].map(textPattern);
    if (this.hint === null || parts.length < 2) return null;
    const each = parts.map((part) => `(?=[\\s\\S]*?${part})`).join('');
    return new RegExp(`^${each}|\u0130`, 'iu'); // as in hintPattern
  }

  // Whether a name has nothing but words that are asked for.
  hasOnlyQueryWords(name) {
    const words = wordsOf(name);
    return words.length > 0 && words.every((word) => this.rest.includes(word));
  }

  // Whether a name has all the words.
  hasAllWords(name) {
    const words = wordsOf(name);
    return this.rest.every((word) => words.includes(word));
  }

  // How well an element fits, 0 for not at all.
  score(el, role, name, acts) {
    const score = this.bestScore(el, role, name, acts);
    if (!this.stateless || !acts || score >= STATE_SCORE) return score;
    const { all, roles } = this.stateless;
    const kind = roles.has(role) ? KIND_BONUS : 0;
    const stated = all.length
      ? Math.min(this.stateless.score(el, role, name, acts) + kind, STATE_SCORE)
      : BARE_STATE_SCORE;
    return stated > score && this.isInStates(el, role) ? stated : score;
  }

  // Whether an element is in the states that the query has.
  isInStates(el, role) {
    const control = el.tagName === 'LABEL' && el.control ? el.control : el;
    const said = statesOf(control, role, activeElementOf(documentOf(control))).split(' ');
    return this.states.every((word) =>
      STATES.has(word)
        ? said.includes(word)
        : !said.includes(STATES_NOT.get(word)) &&
          (word !== 'unchecked' || CHECKABLE_ROLES.test(role)),
    );
  }

  // How well it fits by its name, by the words that it shows instead or that stand beside it, and by its icon.
  bestScore(el, role, name, acts) {
    let score = this.nameScore(el, role, name, acts);
    if (!acts) return score;
    const shown = name ? this.wordsShownInstead(el, role, name, score) : '';
    if (shown) return Math.max(score, this.nameScore(el, role, shown, acts) - HINT_PENALTY);
    const words = isUnlabelled(el, role, name) ? labelBesideOf(el) : this.labelInstead(el, score);
    if (words) return Math.max(score, this.nameScore(el, role, words, acts) - ADJACENT_PENALTY);
    if (role === 'file' && !name)
      score = Math.max(score, this.nameScore(el, role, chooserText(el), acts));
    if (!name && MEDIA_TAGS.test(tagOf(el)))
      score = Math.max(score, this.nameScore(el, role, role, acts) - HINT_PENALTY);
    const hint = name && !holdsWords(el, role) ? '' : hintIfWordless(el, role).slice(2, -1);
    return hint ? Math.max(score, this.nameScore(el, role, hint, acts) - HINT_PENALTY) : score;
  }

  // The label that people see of a field that was given another name.
  labelInstead(el, score) {
    const role = roleOf(el);
    const opens = tagOf(el) === 'BUTTON' && opensListbox(el, role);
    const isField = opens || FIELDS.has(role);
    if (score >= WHOLE_NAME || !(isField || LABELABLE.test(tagOf(el)))) return '';
    if (!opens && (score >= ALL_WORDS || !hasLabel(el))) return '';
    return labelName(el) || (isField ? labelOfStandIn(el) || precedingLabelOf(el) : '');
  }

  // The words of a button or a link that was given another name, or whose name also has the words for its pictures; ''
  // if none of them are asked for, or the name says them. Those of a list are its options'.
  wordsShownInstead(el, role, name, score) {
    if (role === 'listbox' || score >= WHOLE_NAME) return '';
    if (tagOf(el) !== 'BUTTON' && (!WIDGETS.has(role) || FIELDS.has(role))) return '';
    if (this.hint !== null && !this.hint.test(textContentOf(el))) return '';
    if (!hasExplicitName(el))
      return allMatches(el, 'img[alt]').length > 0 ? squeeze(visibleTextOf(el, MAX_SAID)) : '';
    return score < ALL_WORDS && showsMoreThan(el, name) ? shortWordsOf(el) : '';
  }

  // The words that an element is called by, of those that are asked for.
  wordsIn({ el, role, name, acts }) {
    const called = wordsOf(name || (acts ? hintIfWordless(el, role) : ''));
    return this.rest.filter((word) => called.includes(word));
  }

  // How well it fits by a name, with or without accents.
  nameScore(el, role, name, acts) {
    const score = this.writtenScore(el, role, name, acts);
    if (this.line || score > ALL_WORDS || !(this.isFoldable || FOLDABLE.test(name))) return score;
    this.folded ??= this.isFoldable ? new SearchQuery(foldLetters(this.text)) : this;
    const folded = this.folded.writtenScore(el, role, foldLetters(name), acts);
    return Math.max(score, folded - FOLDED_PENALTY);
  }

  // The same by its letters as they are written.
  writtenScore(el, role, name, acts) {
    if (!this.line) return this.wordScore(el, role, name, acts);
    const named =
      clip(name) === this.line.name ||
      (CUT_BEGINNING.test(this.line.name) && clip(name).endsWith(this.line.name.slice(1)));
    const same =
      named && (role === this.line.role || (role === 'clickable' && !ROLES.has(this.line.role)));
    const score = same
      ? 80 + this.contextScore(el, acts)
      : Math.min(this.wordScore(el, role, name, acts), named ? 70 : 60);
    const other =
      score > OTHER_ROW_SCORE &&
      ((!named && lacksNumbers(completeWords(this.line.name), wordsOf(name))) ||
        this.isInOtherRow(el, acts));
    return other ? OTHER_ROW_SCORE : score;
  }

  // Whether it is in another row than that of the recorded line: a number of that is missing, or words
  // are in the place of others. Words that were only added, or only removed, are a message in the same row.
  isInOtherRow(el, acts) {
    const { around: wanted, row } = this.line;
    if (!wanted.length) return false;
    const { words, repeated } = surroundingWords(el);
    const there = wordsOf(`${otherWords(el, acts, true)} ${words}`);
    const gone = wanted.filter((word) => !there.includes(word));
    if (!gone.length || lacksNumbers(gone, [])) return gone.length > 0;
    return (
      (row || repeated) &&
      completeWords(clip(squeeze(words), 200)).some((word) => !wanted.includes(word))
    );
  }

  // Up to 20 for the recorded words around it that are still there.
  contextScore(el, acts) {
    const { around } = this.line;
    if (!around.length) return 20;
    const there = new Set(wordsOf(otherWords(el, acts, true)));
    return Math.round((20 * around.filter((word) => there.has(word)).length) / around.length);
  }

  // Whether it is of all the kinds, where nothing else is asked for.
  isOfKinds(el, role, name) {
    const isLoose = (word) => OWN_WORDS[role] && !OWN_WORDS[role].test(word);
    return (
      this.kinds.every((word) => ROLE_WORDS[word].includes(role)) &&
      (!name || !this.kinds.some(isLoose) || el.matches(OPENS_OR_TOGGLES))
    );
  }

  // Whether a name has all the words and the kind, one after the other.
  isPhraseIn(name) {
    const low = name.toLowerCase();
    return this.countStems(low) > 0 && ` ${wordsOf(low).join(' ')} `.includes(` ${this.whole} `);
  }

  wordScore(el, role, name, acts) {
    const kind = (acts ? ACTING_BONUS : 0) - (role === 'clickable' ? 3 : 0);
    const low = name.toLowerCase();
    if (low && low === this.text) return 100 + kind;
    if (this.isJoinedOtherwise(low)) return JOINED_SCORE + kind;
    if (low === '' && this.hint !== null && !acts && !el.hasAttributes()) return 0; // nothing can have the words
    // Most of a page has nothing to do with the words: that must cost next to nothing.
    const there = low === '' ? 0 : this.countStems(low);
    const spoken = there || !this.rest.length ? wordsOf(low) : [];
    const said = spoken.join(' ');
    if (said === this.whole && said !== '') return 98 + kind;
    const bare = this.kinds.length && this.isOfKinds(el, role, name) ? BARE_KIND_SCORE + kind : 0;
    if (!this.rest.length) return bare;
    let all = there === this.stems.length ? this.allWordsScore(said, spoken) : 0;
    if (acts && all > ANOTHERS_SCORE && all < WHOLE_PHRASE && isCalledByItsItems(el, role))
      all = ANOTHERS_SCORE;
    const score =
      all >= EXACT_WORDS || all === ANOTHERS_SCORE
        ? all
        : Math.max(all, this.contextMatchScore(el, role, acts, spoken, low !== ''));
    if (this.kinds.length === 1) return Math.max(bare, Math.min(score, BARE_KIND_SCORE - 1));
    if (score === 0) return bare || (this.isCalledKind(low) ? LETTERS_SCORE + kind : 0);
    const fitting = Math.max(1, bare, score + this.kindFit(role, spoken) + kind);
    if (acts && fitting > ANOTHERS_SCORE && this.isContradictedBy(low, spoken))
      return ANOTHERS_SCORE;
    if (!acts || fitting <= ANOTHERS_SCORE || !this.kindWords.length) return fitting;
    const differs =
      this.isOppositeKind(el, role) || (said !== this.phrase && this.isOfNoControl(role));
    return differs && this.lacksKindWords(el, spoken) ? ANOTHERS_SCORE : fitting;
  }

  // Whether a name says the opposite of the query with the same words: "Sign out" for "sign in", "Don't save" for "save".
  isContradictedBy(low, spoken) {
    const isTurned = (word) => !spoken.includes(word) && spoken.includes(OPPOSITE_WORDS.get(word));
    if (this.particles.some(isTurned) || this.hasOtherNumber(spoken)) return true;
    return isNegated(low, this.text, this.rest);
  }

  // Whether a name has another number on the other side of the word that one was asked for with: "10 / page" is not
  // "page 5".
  hasOtherNumber(spoken) {
    const isNumber = (word) => word !== undefined && NUMBER.test(word);
    const has = (word, side) =>
      spoken.some((one, at) => one === word && isNumber(spoken[at + side]));
    return this.all.some((word, at) => {
      if (!isNumber(word) || spoken.includes(word)) return false;
      return [1, -1].some((side) => {
        const near = this.all[at + side];
        return near !== undefined && !isNumber(near) && has(near, side) && !has(near, -side);
      });
    });
  }

  // Whether a name differs by spaces and hyphens alone: "Log in" is "Login".
  isJoinedOtherwise(low) {
    if (!this.joined || low.length < this.joined.length) return false;
    if (low.length > this.joined.length + MAX_JOINED_WORDS - 1) return false;
    const words = wordsOf(low);
    return words.join(' ') !== this.whole && joinedLetters(words) === this.joined;
  }

  // Whether a name has nothing but words that are asked for, of which those that mean a kind are its only ones.
  isCalledKind(low) {
    if (!this.kindWords.some((word) => low.includes(word))) return false;
    return wordsOf(low).every((word) => this.all.includes(word));
  }

  // Whether the kind that is asked for is one that nobody acts on, such as a heading or a list.
  isOfNoControl(role) {
    return ![...this.roles].some((one) => one === role || WIDGETS.has(one));
  }

  // Whether a field is asked for and this is a button or a link, or the other way round.
  isOppositeKind(el, role) {
    const asked = [...this.roles].filter((one) => WIDGETS.has(one));
    if (!asked.length || asked.includes(role)) return false;
    if (PRESSED.test(role))
      return (
        asked.every((one) => FIELDS.has(one) || TICK_ROLES.has(one)) &&
        !el.matches(OPENS_OR_TICKS) &&
        !isLabelledOpener(el)
      );
    const isField = WRITTEN_INTO.test(role) || el.matches(NATIVE_CHOICE);
    return isField && asked.every((one) => PRESSED.test(one));
  }

  // Whether neither the name nor what else is known of the element has the words for the kind: "Add title" is not
  // "Address".
  lacksKindWords(el, spoken) {
    const extra = wordsOf(otherWords(el, false, false));
    return !this.kindWords.every((word) => spoken.includes(word) || hasWord(extra, word));
  }

  // What the kind that is asked for adds or takes; one that is a part of the name says nothing.
  kindFit(role, spoken) {
    if (this.roles.size === 0) return 0;
    if (this.roles.has(role)) return KIND_FITS;
    const isNamed = this.kindWords.length && this.kindWords.every((word) => spoken.includes(word));
    return isNamed ? 0 : KIND_DIFFERS;
  }

  countStems(low) {
    let count = 0;
    for (const stem of this.stems) if (low.includes(stem)) count++;
    return count;
  }

  // Where all the words are in the name, in one way or another; else 0.
  allWordsScore(said, spoken) {
    if (said === this.phrase || said === this.unkinded) return WHOLE_PHRASE;
    const phrases = [this.phrase, this.whole];
    if (phrases.some((phrase) => said.startsWith(`${phrase} `))) return 80;
    if (phrases.some((phrase) => ` ${said} `.includes(` ${phrase} `))) return 74;
    if (this.rest.every((word) => spoken.includes(word))) return EXACT_WORDS;
    if (this.rest.every((word) => spoken.some((one) => isSameWord(word, one)))) return 60;
    if (standsInWord(this.phrase, said)) return 58;
    const isAlike = (word) => spoken.some((one) => one.startsWith(word) || isBegunBy(word, one));
    return said.includes(this.phrase) || this.rest.every(isAlike) ? LETTERS_SCORE : 0;
  }

  // Whether all the words stand together beside a field that has only some of them: they name its neighbour.
  namesNeighbour(el, role) {
    if (!FIELDS.has(role) && !/group$/.test(role)) return false;
    return ` ${wordsOf(surroundingWords(el).words).join(' ')} `.includes(` ${this.phrase} `);
  }

  // Whether what stands around an element says these words where it shows, or the element itself has them.
  isSeenAround(el, words) {
    const own = wordsOf(otherWords(el, false, false));
    const around = words.filter((word) => !hasWord(own, word));
    if (!around.length) return true;
    const { at } = surroundingWords(el);
    const seen = wordsOf(`${at ? visibleTextOf(at, MAX_ANCESTOR_TEXT) : ''} ${sectionOf(el)}`);
    return around.every((word) => hasWord(seen, word));
  }

  // Whether no words that a person can see or hear say any of it: "Ok" is not "Delete" with the id `ok-button`.
  isOnlyInIds(el) {
    const tips = wordsOf(
      `${el.placeholder ?? ''} ${el.title ?? ''} ${el.getAttribute('alt') ?? ''}`,
    );
    return !isKnownAs(el, this.text) && !this.rest.some((word) => tips.includes(word));
  }

  // Where words are missing in the name, they may be among what else is known of the element.
  contextMatchScore(el, role, acts, spoken, isNamed) {
    const missing = spoken.length ? this.rest.filter((word) => !spoken.includes(word)) : this.rest;
    const hits = this.rest.length - missing.length;
    const others = otherWords(el, acts, hits > 0).toLowerCase();
    const extra = this.hasDecimals ? others : others.replace(DECIMALS, ' ');
    const left = extra
      ? missing.filter((word) => !extra.includes(word) || !hasWord(wordsOf(extra), word))
      : [...missing];
    if (PARTICLES.has(this.ending) && missing.includes(this.ending) && !left.includes(this.ending))
      left.push(this.ending);
    if (!left.length && hits && this.namesNeighbour(el, role)) return ANOTHERS_SCORE;
    if (!left.length && hits && !this.isSeenAround(el, missing)) left.push(...missing);
    if (!left.length && !hits && isNamed && !FIELDS.has(role) && this.isOnlyInIds(el))
      return IDS_SCORE;
    if (!left.length && hits)
      return Math.max(AROUND_SCORE - TIE * (missing.length - 1), MIN_AROUND_SCORE);
    if (!left.length) return isKnownAs(el, this.text) ? AROUND_SCORE : 40;
    const share = (this.rest.length - left.length) / this.rest.length;
    return share >= 0.5 ? Math.round(30 * share) : 0;
  }
}

// Whether it opens something and a label beside it says what: then it is a field of its form, whatever it opens.
const isLabelledOpener = (el) =>
  el.hasAttribute('aria-haspopup') &&
  (labelsOf(el).length > 0 ||
    elementsByIds(el, 'aria-labelledby').some((label) => !areNested(el, label)));

const MAX_CONTROLS_COMPARED = 50;

// Whether its name is the words of several items, as of a table whose rows have a button "Delete" each: a click on it
// would be a click on any one of them.
function isCalledByItsItems(el, role) {
  if (WIDGETS.has(role) || hasExplicitName(el)) return false;
  const controls = [...el.querySelectorAll('a, button, [role=button], [role=link]')];
  const names = controls
    .slice(0, MAX_CONTROLS_COMPARED)
    .map((one) => squeeze(textContentOf(one)) || getAttributeOf(one, 'aria-label'))
    .filter(Boolean);
  return new Set(names).size < names.length;
}

// Whether what an element goes by is what somebody has written into it.
const holdsWords = (el, role) => el.isContentEditable && FIELDS.has(role) && !nameOf(el, role);

const NO_PLURALS = new Set(['goods', 'means', 'news']);
const singularOf = (word) =>
  word.length < 4 || NO_PLURALS.has(word)
    ? word
    : word.replace(/ies$/, 'y').replace(/(?<=s|x|z|ch|sh)es$|(?<=[^su])s$/, '');
const fullFormOf = (word) => FULL_FORMS.get(word) ?? word;

// Whether two words are one but for the number, or a usual short form. The beginning of a word is no word for it, nor
// its end: "Edit" is not "Editor", and "Subscribe" not "Unsubscribe".
const isSameWord = (word, other) =>
  fullFormOf(singularOf(word)) === fullFormOf(singularOf(other)) ||
  (FULL_FORMS.has(word) && other.startsWith(FULL_FORMS.get(word)));

const isBegunBy = (word, other) => other.length > 2 && word.startsWith(other);

// Whether at least two letters stand for the word that they are in. In scripts with spaces they begin it, if they are not
// Latin: a beginning of those is no word.
function standsInWord(text, words) {
  if (text.length < 2 || !NOT_LATIN.test(text)) return false;
  return JOINS_WORDS.test(text) ? words.includes(text) : ` ${words}`.includes(` ${text}`);
}

// Whether the page's own name for an element is what is asked for.
const isKnownAs = (el, text) =>
  [el.name, el.id].some((one) => typeof one === 'string' && one.toLowerCase() === text);

// Whether a word, or more than one of it, is among words: "Add" in the row "Users" adds a user.
const hasWord = (words, word) =>
  words.includes(word) || (word.length > 2 && words.includes(`${word}s`));

function otherWords(el, acts, partly) {
  // Most links have an address and nothing else.
  const bare =
    !el.hasAttributes() ||
    (tagOf(el) === 'A' && el.attributes.length === 1 && el.hasAttribute('href'));
  if (bare) return acts && partly ? `${surroundingWords(el).words} ${sectionOf(el)}` : '';
  const said = [
    el.placeholder,
    el.title,
    el.name,
    el.id,
    el.type,
    el.getAttribute('alt'),
    el.getAttribute('data-testid'),
  ];
  const text = said
    .filter((one) => typeof one === 'string')
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
  return acts && partly ? `${text} ${surroundingWords(el).words} ${sectionOf(el)}` : text;
}
