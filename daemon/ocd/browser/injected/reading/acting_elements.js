// What can be acted on although neither its tag nor its role nor its style says so: links without an
// address, handlers that a framework writes into the markup, what is dragged or dropped on, and what
// has the hand as a cursor only once the pointer is over it.

const MARKED_LINKS =
  'a:not([href]):is([title],[aria-label],[class*=btn i],[class*=button i],[class*=prev i],[class*=next i],[class*=close i],[class*=toggle i])';
const HANDLER_ATTRIBUTES =
  '[ng-click],[data-ng-click],[x-on\\:click],[\\@click],[wire\\:click],[data-toggle],[data-bs-toggle],[data-dismiss],' +
  '[data-bs-dismiss],[hx-get]:not([hx-trigger]),[hx-post]:not([hx-trigger]),[hx-put]:not([hx-trigger]),[hx-delete]:not([hx-trigger])';
const DRAG_SOURCES = '[draggable=true],[ondragstart],.ui-draggable';
const DROP_TARGETS = '[ondrop],[ondragover],.ui-droppable,.ui-sortable';
// By word, selectors one by one: a list of them costs the engine five times what its parts do.
const IMPLICIT_ACTIONS = [
  ['draggable', DRAG_SOURCES.split(',')],
  ['droppable', DROP_TARGETS.split(',')],
  ['clickable', [MARKED_LINKS, ...HANDLER_ATTRIBUTES.split(',')]],
];
const MAX_HOVER_RULES = 20000;
const pointerRules = new WeakMap(); // by style sheet: selectors of what gets the hand under the pointer

function pointerSelectors(sheet) {
  let found = pointerRules.get(sheet);
  if (found === undefined) {
    found = [];
    let left = MAX_HOVER_RULES;
    const collect = (rules) => {
      for (const rule of rules) {
        if (--left < 0) return;
        if (rule.selectorText?.includes(':hover') && rule.style.cursor === 'pointer')
          found.push(rule.selectorText.replaceAll(':hover', ''));
        else if (rule.cssRules?.length && !rule.selectorText) collect(rule.cssRules);
      }
    };
    try {
      collect(sheet.cssRules);
    } catch {
      /* of another origin */
    }
    pointerRules.set(sheet, found);
  }
  return found;
}

let implicitActionsByDocument = new WeakMap(); // for the time of one reading

function implicitActionsIn(doc) {
  if (!implicitActionsByDocument.has(doc))
    implicitActionsByDocument.set(doc, new ActingElements(doc));
  return implicitActionsByDocument.get(doc);
}

const MAX_SINGLE_CHECKS = 60; // elements that cost less one by one than a search of the whole document

// The elements of a document that act so, and the words for what they are.
class ActingElements {
  constructor(doc) {
    this.doc = doc;
    this.words = new Map(); // by element
    this.left = MAX_SINGLE_CHECKS;
    this.pointed();
    this.handled();
  }

  get(el) {
    if (this.left < 0 || !el.hasAttributes()) return this.words.get(el);
    const word = IMPLICIT_ACTIONS.find(([, selectors]) =>
      selectors.some((one) => el.matches(one)),
    )?.[0];
    if (--this.left < 0) this.marked();
    return word ?? this.words.get(el);
  }

  has(el) {
    return this.get(el) !== undefined;
  }

  add(el, word) {
    if (!this.words.has(el)) this.words.set(el, word);
  }

  // What the markup marks.
  marked() {
    const others = this.words;
    this.words = new Map();
    for (const [word, selectors] of IMPLICIT_ACTIONS) {
      for (const selector of selectors)
        for (const el of allMatches(this.doc, selector)) this.add(el, word);
    }
    for (const [el, word] of others) this.add(el, word);
  }

  // What a style sheet gives the hand.
  pointed() {
    for (const selector of sheetsIn(this.doc).flatMap(pointerSelectors)) {
      try {
        for (const el of allMatches(this.doc, selector)) this.add(el, 'clickable');
      } catch {
        /* what is left is no selector */
      }
    }
  }

  // What has listeners for clicks.
  handled() {
    for (const held of clickableRefs) {
      const el = held.deref();
      if (el && documentOf(el) === this.doc) this.add(el, 'clickable');
    }
  }
}

// Whether only the hand says that an element is clicked: a click on it is one on what it stands in.
const hasOnlyPointerCursor = (el) =>
  !['onclick', 'tabindex', 'role'].some((name) => getAttributeOf(el, name) !== null) &&
  !implicitActionsIn(documentOf(el)).has(el);
