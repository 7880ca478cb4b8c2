// What is shown, with the attributes that say what a thing is, for those who look for values in it.
// A flat list in document order, so that no nesting is too deep: elements are [depth, tag,
// attributes or 0], texts [depth, text].

const CAPTURED_ATTRIBUTES = new Set(
  (
    'class id datetime content itemprop itemtype itemid itemref property typeof resource about rel role' +
    ' aria-label data-testid data-test data-qa data-field data-label data-name data-key data-price data-value data-rating' +
    ' name alt title colspan scope lang for'
  ).split(' '),
);
const MAX_NODES = 200000;
const MAX_TEXT = 4e6; // characters
const MAX_ATTRIBUTE = 2000;
const BLOCK_TAGS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM' +
    ' H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL CAPTION'
  ).split(' '),
);

const MAX_CAPTURE_DEPTH = 400;

class PageCapture {
  constructor() {
    this.entries = [];
    this.text = 0;
    this.cut = false;
  }

  words(depth, text) {
    if (!text) return;
    this.entries.push([depth, text]);
    this.text += text.length;
  }

  element(el, view, depth) {
    if (this.entries.length > MAX_NODES || this.text > MAX_TEXT) {
      this.cut = true;
      return;
    }
    const tag = tagOf(el).toUpperCase();
    this.entries.push([
      depth,
      tag.toLowerCase(),
      clobbered(el) ? 0 : this.attributes(el, tag, view),
    ]);
    if (tag === 'SELECT' || tag === 'TEXTAREA') return;
    if (depth >= MAX_CAPTURE_DEPTH) this.words(depth + 1, el.innerText ?? '');
    else if (FRAME_TAGS.has(tag)) this.frame(el, depth + 1);
    else for (const kid of composedChildrenOf(el)) this.kid(el, kid, view, depth + 1);
  }

  kid(el, kid, view, depth) {
    if (isCollapsed(el, kid)) return;
    const type = nodeTypeOf(kid);
    if (type === 3) {
      if (BLANK.test(kid.data)) this.words(depth, ' ');
      else if (view.readable) this.words(depth, kid.data);
    }
    if (type !== 1) return;
    const tag = tagOf(kid).toUpperCase();
    // Properties without words: <meta itemprop content>, <link itemprop href>.
    if (
      (tag === 'META' || tag === 'LINK') &&
      (kid.hasAttribute('itemprop') || kid.hasAttribute('property'))
    ) {
      this.entries.push([depth, tag.toLowerCase(), this.attributes(kid, tag, null)]);
    } else if (!UNRENDERED_TAGS.has(tag) || (tag === 'SCRIPT' && isData(kid)))
      this.shownElement(kid, tag, view, depth);
  }

  shownElement(kid, tag, view, depth) {
    if (tag === 'SCRIPT') {
      this.entries.push([depth, 'script', { json: kid.textContent.slice(0, MAX_TEXT) }]);
      return;
    }
    const below = clobbered(kid) ? formView(kid, view) : viewInside(kid, view);
    if (!below) return;
    this.element(kid, below, depth);
    if (tag !== 'FORM' && !shadowRootOf(kid)) suspectHost(kid);
  }

  frame(el, depth) {
    const inner = innerDocument(el);
    const view = inner?.documentElement && rootView(inner);
    if (!view) return;
    this.data(headOf(inner), depth);
    this.element(bodyOf(inner) || rootElementOf(inner), view, depth);
  }

  // The JSON-LD of a document's head.
  data(head, depth) {
    for (const script of head?.querySelectorAll('script') ?? []) {
      if (isData(script))
        this.entries.push([depth, 'script', { json: script.textContent.slice(0, MAX_TEXT) }]);
    }
  }

  attributes(el, tag, view) {
    let found = 0;
    const put = (name, value) => {
      (found ||= {})[name] = value.slice(0, MAX_ATTRIBUTE);
    };
    for (const name of el.getAttributeNames()) {
      const value = CAPTURED_ATTRIBUTES.has(name) && el.getAttribute(name);
      if (value) put(name, value);
      else if (name === 'itemscope') put('itemscope', '1');
    }
    if (tag === 'A' || tag === 'AREA' || tag === 'LINK')
      put('href', typeof el.href === 'string' ? el.href : '');
    else if (tag === 'IMG' || tag === 'SOURCE' || tag === 'VIDEO' || tag === 'AUDIO') {
      const src = el.currentSrc || el.src || el.getAttribute('data-src') || '';
      put('src', src.startsWith('data:') ? el.getAttribute('data-src') || '' : src);
    } else if (CONTROL_TAGS.has(tag) && el.type !== 'password' && el.type !== 'hidden')
      put('value', fieldValue(el));
    else if (tag === 'METER' || tag === 'PROGRESS' || tag === 'DATA')
      put('value', String(el.value));
    if (view && view.inline === BLOCK_TAGS.has(tag)) put('flow', view.inline ? 'inline' : 'block');
    if (view && isStruckOut(el)) put('struck', '1');
    return found;
  }
}

function fieldValue(el) {
  if (el.type === 'checkbox' || el.type === 'radio') return el.checked ? 'true' : 'false';
  return valueOf(el, roleOf(el)) || '';
}

// An old price, mostly.
function isStruckOut(el) {
  const text = firstChildOf(el);
  return (
    text !== null &&
    nodeTypeOf(text) === 3 &&
    text.data.length < 40 &&
    /\d/.test(text.data) &&
    getComputedStyle(el).textDecorationLine.includes('line-through')
  );
}

function metaTags(doc) {
  const found = [];
  for (const el of allMatches(
    doc,
    'meta[property][content], meta[name][content], meta[itemprop][content]',
  )) {
    found.push([
      el.getAttribute('property') || el.getAttribute('name') || el.getAttribute('itemprop'),
      el.content.slice(0, 5000),
    ]);
  }
  for (const el of allMatches(
    doc,
    'link[rel=canonical][href], link[rel=next][href], link[rel=amphtml][href]',
  ))
    found.push([`link:${el.rel}`, el.href]);
  return found.slice(0, 500);
}

const isData = (script) => /\bld\+json/i.test(script.type);

// Options: selector (every match is a scope of its own), most scopes.
function capturePage(options) {
  const it = new PageCapture();
  const result = {
    scopes: [],
    meta: [],
    lang: rootElementOf(document)?.lang || '',
    title: pageTitleOf(document),
    matched: 0,
  };
  if (isReadByParent() || !rootElementOf(document)) return result;
  if (options.selector) {
    const matched = matchesEverywhere({ selector: options.selector, pierce: true });
    result.matched = matched.length;
    for (const el of matched.slice(0, options.most)) {
      const view = viewInside(el, viewOfParent(el));
      it.entries = [];
      if (view) it.element(el, view, 0);
      if (it.entries.length) result.scopes.push(it.entries);
    }
  } else {
    const view = rootView(document);
    it.data(headOf(document), 1);
    if (view) it.element(bodyOf(document) || rootElementOf(document), view, 0);
    result.scopes.push(it.entries);
    result.meta = metaTags(document);
  }
  return { ...result, cut: it.cut };
}

Object.assign(globalThis.openchrome, { capturePage: (options) => runReader(capturePage, options) });
