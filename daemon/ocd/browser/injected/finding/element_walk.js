// The walk of the outline, for those who want elements and not lines.

// Elements that say what stands in them and nothing else. hosts: unless they have a shadow tree;
// named: style sheets may add words to their names.
const INERT_TAGS = new Map();
for (const tag of (
  'TD TH TR TBODY THEAD TFOOT LI UL OL DL DT DD PRE B STRONG I EM U S SMALL BIG SUB SUP MARK CODE KBD SAMP VAR TIME' +
  ' ABBR CITE Q DEL INS DFN BDI BDO BR WBR HR TT CENTER'
).split(' '))
  INERT_TAGS.set(tag, { hosts: false, named: false });
for (const tag of 'P DIV SPAN SECTION ARTICLE ASIDE MAIN NAV HEADER FOOTER BLOCKQUOTE'.split(' '))
  INERT_TAGS.set(tag, { hosts: true, named: false });
for (const tag of 'H1 H2 H3 H4 H5 H6'.split(' ')) INERT_TAGS.set(tag, { hosts: true, named: true });
INERT_TAGS.set('A', { hosts: false, named: true });
// Attributes that give an element neither a role nor a name nor further words.
const QUIET_ATTRIBUTES = new Set(
  (
    'class href style colspan rowspan scope headers width height align valign bgcolor border cellpadding cellspacing' +
    ' nowrap target rel hreflang lang dir datetime start value'
  ).split(' '),
);
const CELL_TAGS = new Set(['TD', 'TH']);
const MAX_IMPLICIT_NAME = 160; // characters by which something without a name may go
const INDIRECT_PENALTY = 3; // what goes by its words comes after a control inside that is called so
const MAX_MATCHING_ROWS = 8; // after so many that match, only every eighth is looked at as a whole
const MAX_CHAIN = 4; // elements around one text
const SOFT_BREAK = /[\u00AD\u200B\u2060]/; // what its words have none of
const MAX_SAID = 5000; // characters of one element's words

class ElementSearch extends Outline {
  // hint: a pattern that every match has in its name, null where there is none; textHint: the same for what is neither
  // a control nor in one. isPartialName: of which names the controls are collected in `partial` as well, whatever their
  // score; null for none.
  constructor(judge, hint, isPartialName, textHint = hint) {
    super({ filter: 'all' });
    this.judge = judge; // (el, role, name, acts, within) → score
    this.hint = hint;
    this.textHint = textHint;
    this.possible = possiblePattern(hint);
    this.possibleText = textHint === hint ? this.possible : possiblePattern(textHint);
    this.noGeneratedText = false; // whether no style sheet adds words to names
    this.isPartialName = isPartialName;
    this.found = [];
    this.partial = [];
    this.wordsFound = false; // whether the words around are matched with an element already
    this.matchingRows = 0; // one after the other
    this.pointer = false; // whether the pointer over the element says that it can be clicked
    this.within = null; // the element around that takes clicks, unless it is a control of one piece
  }

  document(doc, depth) {
    const outer = this.noGeneratedText;
    this.noGeneratedText = findGeneratedText(doc)?.size === 0;
    super.document(doc, depth);
    this.noGeneratedText = outer;
  }

  // What stands elsewhere than in its owner is found where it stands, and a label as itself.
  readRelations() {}

  // Words are asked of their elements.
  kids(el, view, depth, control) {
    if (++this.level <= MAX_DEPTH && tagOf(el) !== 'TEXTAREA') {
      if (hasComposedChildren(el)) this.composedKids(el, view, depth, control);
      else {
        for (let kid = firstElementChildOf(el); kid; kid = nextElementSiblingOf(kid))
          this.kid(el, kid, view, depth, control);
      }
    }
    this.level--;
  }

  // Shadow trees have style sheets of their own.
  composedKids(el, view, depth, control) {
    const outer = this.noGeneratedText;
    this.noGeneratedText = false;
    for (const kid of [...composedChildrenOf(el)])
      if (nodeTypeOf(kid) === 1) this.kid(el, kid, view, depth, control);
    this.noGeneratedText = outer;
  }

  kid(el, kid, view, depth, control) {
    if ((this.hint !== null && this.cannotMatch(kid)) || isCollapsed(el, kid)) return;
    if (clobbered(kid)) this.form(kid, view, depth, control);
    else this.tryElement(kid, view, depth, control);
  }

  // Whether the text of an element alone shows that neither it nor anything in it can match. That holds for
  // most of a page, whose styles and roles need not be asked for.
  cannotMatch(el) {
    let at = el;
    let kind;
    let isLink = false;
    for (let level = 0; ; level++) {
      kind = INERT_TAGS.get(tagOf(at));
      if (
        kind === undefined ||
        (kind.named && !this.noGeneratedText) ||
        (at.hasAttributes() && !this.hasOnlyQuietAttributes(at))
      )
        return false;
      if (kind.hosts && shadowRootOf(at) !== null) return false;
      isLink ||= tagOf(at) === 'A';
      const kid = firstElementChildOf(at);
      if (kid === null) break;
      if (level === 0 && tagOf(at) === 'TR') return this.rowCannotMatch(at);
      if (kind.named || level === MAX_CHAIN || nextElementSiblingOf(kid) !== null) return false;
      at = kid;
    }
    const text = textContentOf(el);
    if (!(isLink ? this.possible : this.possibleText).test(text)) return true;
    const hint = isLink ? this.hint : this.textHint;
    if (hint.test(text) || (text === '' && kind.hosts) || SOFT_BREAK.test(text)) return false;
    return !BLANK.test(text) || !this.isClassed(el);
  }

  // The same for a row whose cells are texts and links. Where the rows before it match, it is likely to, and
  // its cells are asked one by one in any case.
  rowCannotMatch(row) {
    if (++this.matchingRows > MAX_MATCHING_ROWS && this.matchingRows % MAX_MATCHING_ROWS !== 0)
      return false;
    for (let cell = firstElementChildOf(row); cell; cell = nextElementSiblingOf(cell)) {
      if (cell.hasAttributes() || !CELL_TAGS.has(tagOf(cell))) return false;
      const inner = firstElementChildOf(cell);
      if (inner !== null && !this.isWordsInLink(inner)) return false;
      const text = textContentOf(cell);
      const possible = inner === null ? this.possibleText : this.possible;
      if (possible.test(text) && !BLANK.test(text)) return false;
    }
    this.matchingRows = 0;
    return true;
  }

  // Whether an element stands alone, and is a link with words and nothing else.
  isWordsInLink(el) {
    return (
      this.bare &&
      tagOf(el) === 'A' &&
      nextElementSiblingOf(el) === null &&
      firstElementChildOf(el) === null &&
      this.hasOnlyQuietAttributes(el) &&
      !BLANK.test(textContentOf(el))
    );
  }

  // Whether a class of it, or of what is in it, has the words: icons are found by those.
  isClassed(el) {
    for (let at = el; at; at = firstElementChildOf(at))
      if (this.hint.test(at.getAttribute('class') || '')) return true;
    return false;
  }

  hasOnlyQuietAttributes(el) {
    return el
      .getAttributeNames()
      .every(
        (name) =>
          QUIET_ATTRIBUTES.has(name) ||
          (name === 'id'
            ? !this.hint.test(el.id)
            : name.startsWith('data-') && name !== 'data-testid'),
      );
  }

  addMatch(el, role, name, acts, less = 0) {
    const score = this.judge(el, role, name, acts, this.within);
    const one = {
      el,
      role,
      name,
      acts,
      within: this.within,
      score: Math.max(score - less, 1),
      at: this.found.length,
    };
    if (score > 0) this.found.push(one);
    if (this.isPartialMatch(name, acts)) this.partial.push(one);
  }

  isPartialMatch(name, acts) {
    return acts && this.isPartialName !== null && this.isPartialName(name);
  }

  // Adds a match by the words that are visible; which of them are is only looked into once they fit.
  addIfVisible(el, role, words, acts, less = 0) {
    const whole = words === '' || (firstElementChildOf(el) === null && shadowRootOf(el) === null);
    if (whole) this.addMatch(el, role, words, acts, less);
    else if (this.judge(el, role, words, acts, this.within) > 0 || this.isPartialMatch(words, acts))
      this.addMatch(el, role, squeeze(visibleTextOf(el, MAX_SAID)).slice(0, MAX_SAID), acts, less);
  }

  // What has no name of its own is matched by its words.
  head(el, role, name, acts) {
    const words =
      name ||
      (FALLBACK_TAGS.has(tagOf(el)) || isNamedBeside(el, role, acts)
        ? ''
        : acts
          ? shortWordsOf(el)
          : ownText(el));
    if (name) this.addMatch(el, role, name, acts);
    else this.addIfVisible(el, role, words, acts, role === 'clickable' ? 0 : INDIRECT_PENALTY);
    this.wordsFound = words !== '';
    if (acts) this.within = WIDGETS.has(role) || !(this.pointer || isSmall(el)) ? null : el;
    return '';
  }

  box(el, role, view, depth, acts, control) {
    const { wordsFound } = this;
    super.box(el, role, view, depth, acts, control);
    this.wordsFound = wordsFound;
  }

  acts(el, role, view, control) {
    this.pointer = view.pointer;
    return super.acts(el, role, view, control);
  }

  element(el, above, depth, control, tag) {
    const { within } = this;
    super.element(el, above, depth, control, tag);
    this.within = within;
  }

  // Those of what is found alone are told.
  noteState() {}

  // No lines are made.

  plainCell() {
    return false;
  }

  plainLink() {
    return false;
  }

  put() {}

  flush() {
    this.words = '';
  }

  detail() {
    return '';
  }

  close() {}

  belowDepth() {}

  caption(el, tag, view, depth) {
    const owner = tag === 'LABEL' ? el.control : null;
    if (owner && !isControlReachable(owner, el) && !hasStandIn(el, owner) && !view.inert)
      this.addMatch(el, roleOf(owner), nameOf(owner, roleOf(owner)), true);
    this.block(el, view, depth, el);
  }

  block(el, view, depth, control) {
    const { wordsFound } = this;
    this.wordsFound = this.text(el, view, control);
    super.block(el, view, depth, control);
    this.wordsFound = wordsFound;
  }

  // Text in a line is found with what it stands in, or by itself where that has no words of its own.
  inline(el, view, depth, control) {
    const { wordsFound } = this;
    this.wordsFound = wordsFound || this.text(el, view, control);
    super.inline(el, view, depth, control);
    this.wordsFound = wordsFound;
  }

  text(el, view, control) {
    const text = !control && view.readable ? ownText(el) : '';
    if (text) this.addIfVisible(el, 'text', text, false);
    return text !== '';
  }
}

// What the texts of matches have: most do not match this, and one expression is a third of the work of three.
const possiblePattern = (hint) =>
  hint && new RegExp(`${hint.source}|${SOFT_BREAK.source}|^\\s*$`, hint.flags);

const isSmall = (el) =>
  textContentOf(el).length <= MAX_IMPLICIT_NAME * 5 &&
  el.getElementsByTagName('*').length <= MAX_IMPLICIT_NAME;

// The words of something small that can be acted on and has no name.
function shortWordsOf(el) {
  if (!isSmall(el)) return '';
  const words = squeeze(nameFromContent(el));
  return words.length > MAX_IMPLICIT_NAME ? '' : words;
}

// The words that stand directly in an element, with what is set off inside them.
function ownText(el) {
  if (firstElementChildOf(el) === null) return squeeze(textContentOf(el).slice(0, MAX_SAID));
  for (let kid = firstChildOf(el); kid; kid = nextSiblingOf(kid)) {
    if (nodeTypeOf(kid) === 3 && !BLANK.test(kid.data))
      return squeeze(textContentOf(el).slice(0, MAX_SAID));
  }
  return '';
}

// found: what the judge gives a score, in the page's order; partial: the controls whose names have nothing but words
// of the query (isPartialName).
function searchElements(judge, hint, isPartialName, textHint = hint) {
  surroundingTexts = new Map();
  sectionTitles = new Map();
  const it = new ElementSearch(judge, hint, isPartialName, textHint);
  if (!isReadByParent()) it.document(document, 0);
  return { found: it.found, partial: it.partial };
}
const walkElements = (judge, hint = null) => searchElements(judge, hint, null).found;

// All that can be acted on, by role and name as refs know them.
function interactiveElements() {
  return walkElements((el, role, name, acts) => (acts ? 1 : 0)).map(({ el }) => {
    const role = roleOf(el);
    return { el, role, name: nameOf(el, role) };
  });
}
