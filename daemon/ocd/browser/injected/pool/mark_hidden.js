// Marks what of a page nobody can see, by the rule of visibility.js, for whoever takes it as HTML: its
// elements get an attribute, its texts are emptied. Finds shadow roots on the way, and the documents
// of frames of the same origin.
//
// A crawl cannot afford to ask for the styles of every element. One that the browser calls visible,
// and that has its tag, its classes and its way from the body in common with one that was looked at
// and found in order, is taken to be in order; those with an id or styles of their own are not.

const UNSEEN_ATTRIBUTE = 'data-openchrome-unseen';
const SEEN_CHECKS = { opacityProperty: true, visibilityProperty: true };
const MAX_LEVEL = 700;
const MAX_FRAMES = 20;
const { setAttribute } = Element.prototype;

class ElementKind {
  constructor(view) {
    this.view = view;
    this.kinds = new Map(); // of the elements inside, by tag and classes
    this.legible = false;
  }
}

class HiddenMarker {
  // closed: how many closed shadow trees there are.
  constructor(closed) {
    this.closed = closed;
    this.elements = [];
    this.texts = [];
    this.covered = [];
    this.roots = [];
    this.frames = [];
    this.own = new Set();
    this.level = 0;
  }

  document(doc) {
    if (!this.closed && isPlain(doc)) return;
    const body = bodyOf(doc);
    if (!body || isPageHidden(doc)) return; // then it is taken as it stands
    const kind = new ElementKind(new ElementView(body, null, getComputedStyle(body), 'block'));
    this.words(body, kind, () => kind.view);
    resetCovers();
    this.subtree(doc, body, kind);
    if (raisedElements.length && findCovers().length) this.findCoveredTexts(doc);
  }

  // Finds the texts that stand under something.
  findCoveredTexts(doc) {
    const texts = walkerIn(doc, bodyOf(doc), NodeFilter.SHOW_TEXT);
    const gone = new Set(this.texts);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (
        /\S/.test(text.data) &&
        !gone.has(text) &&
        !UNRENDERED_TAGS.has(text.parentElement.tagName) &&
        isCovered(text.parentElement)
      )
        this.covered.push(text);
    }
  }

  subtree(scope, parent, kind) {
    for (const el of allMatches(scope, '[id],[style]')) this.own.add(el);
    this.children(parent, kind);
  }

  children(parent, kind) {
    if (++this.level <= MAX_LEVEL) {
      for (let el = parent.firstElementChild; el; el = el.nextElementSibling)
        this.element(el, kind);
    }
    this.level--;
  }

  element(el, above) {
    const tag = el.tagName;
    if (UNRENDERED_TAGS.has(tag)) return;
    if (tag === 'svg') {
      // Shapes have no text: of most drawings that is all.
      if (el.getElementsByTagName('text').length) this.drawing(el, above.view);
      return;
    }
    const name = tag + el.className;
    let kind = above.kinds.get(name);
    if (kind === undefined || this.own.has(el) || !el.checkVisibility(SEEN_CHECKS)) {
      const view = viewInside(el, above.view);
      if (!view) {
        this.elements.push(el);
        return;
      }
      kind = new ElementKind(view);
      if (!this.own.has(el)) above.kinds.set(name, kind);
      this.words(el, kind, () => view);
    } else if (!kind.legible)
      this.words(el, kind, () => new ElementView(el, above.view, getComputedStyle(el), ''));
    this.content(el, tag, kind);
  }

  content(el, tag, kind) {
    const root = el.shadowRoot || closedRoots.get(el);
    if (root && tag !== 'FORM') {
      this.roots.push(root);
      this.subtree(root, root, kind);
    } else if (tag === 'SLOT' && el.assignedNodes().length) {
      for (const kid of el.assignedElements()) this.element(kid, kind);
    } else if (tag === 'IFRAME' || tag === 'FRAME') this.frame(el);
    else this.children(el, kind);
  }

  drawing(el, above) {
    const view = viewInside(el, above);
    if (!view) {
      this.elements.push(el);
      return;
    }
    if (tagOf(el) === 'text' && !view.readable) this.elements.push(el);
    else
      for (const kid of el.children)
        if (kid.namespaceURI === el.namespaceURI) this.drawing(kid, view);
  }

  // Looks at the texts of one element, and so at those of its kind.
  words(el, kind, viewed) {
    let view = null;
    for (let kid = firstChildOf(el); kid; kid = nextSiblingOf(kid)) {
      if (nodeTypeOf(kid) !== Node.TEXT_NODE || !/\S/.test(kid.data)) continue;
      view ??= viewed();
      kind.legible = view.readable;
      if (kind.legible) return;
      this.texts.push(kid);
    }
  }

  frame(el) {
    const doc = innerDocument(el);
    if (!doc || !bodyOf(doc) || this.frames.length >= MAX_FRAMES) return;
    this.frames.push(doc);
    this.document(doc);
  }

  get hasHidden() {
    return this.elements.length + this.texts.length + this.covered.length > 0;
  }

  mark() {
    for (const el of this.elements) setAttribute.call(el, UNSEEN_ATTRIBUTE, '');
    for (const text of this.texts) text.data = '';
    for (const text of this.covered) text.data = COVERED_MARK + text.data;
  }
}
