// The page as HTML of what is shown, for Markdown, text and html.

const VOID = new Set([
  'AREA',
  'BASE',
  'BR',
  'COL',
  'EMBED',
  'HR',
  'IMG',
  'INPUT',
  'LINK',
  'META',
  'SOURCE',
  'TRACK',
  'WBR',
]);
const KEPT_ATTRIBUTES = [
  'alt',
  'start',
  'colspan',
  'rowspan',
  'type',
  'checked',
  'open',
  'reversed',
  'lang',
  'dir',
];
// What says which part of the page an element is, for those who look for the main one.
const PART_ATTRIBUTES = ['class', 'id', 'role', 'itemprop', 'aria-modal'];
const CODE_HINTS = ['data-lang', 'data-language'];
const CODE_WRAPPER = /lang|highlight|source|src-|brush/i;
const FORMULA_ATTRIBUTES = new Map([
  ['MATH', ['display']],
  ['MI', ['mathvariant']],
  ['MN', ['mathvariant']],
  ['MFRAC', ['linethickness']],
  ['MFENCED', ['open', 'close', 'separators']],
  ['MENCLOSE', ['notation']],
]);
const ALIGNMENTS = new Set(['right', 'center']);
const MAX_ATTRIBUTE_VALUE = 1000;
const MAX_CHECKED_PIECES = 20; // of HTML in an item that is looked at: a longer one says something
const CONTENT_TAG = /^<(?:img|input|hr|math)\b/;
const MAX_DRAWN = 5000; // characters of one text in a drawing

const escapeHtml = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const formatAttribute = (name, value) => ` ${name}="${escapeHtml(value).replace(/"/g, '&quot;')}"`;
const shortenValue = (value) =>
  value.length > MAX_ATTRIBUTE_VALUE
    ? `${value.slice(0, MAX_ATTRIBUTE_VALUE)}… (${value.length} characters)`
    : value;

// The class names around a block of code, nearest first, if one may tell its language (content/code_language.py).
function codeWrappersOf(el) {
  const names = [];
  for (let at = el.parentElement; at; at = at.parentElement) names.push(at.className);
  const words = names.join('|');
  return CODE_WRAPPER.test(words) ? formatAttribute('data-openchrome-wrappers', words) : '';
}

// How a cell of the first two rows is aligned: those tell it for their column.
function alignmentOf(el, tag, view) {
  if (el.parentElement?.rowIndex > 1) return '';
  const align = tag === 'TD' ? view.style.textAlign : el.style.textAlign || el.align;
  return ALIGNMENTS.has(align) ? formatAttribute('align', align) : '';
}

class HtmlSerializer {
  constructor(options) {
    this.all = options.all === true; // every attribute, controls as they are
    this.forParts = options.parts === true; // for those who look for the main content
    this.kept = this.forParts ? [...KEPT_ATTRIBUTES, ...PART_ATTRIBUTES] : KEPT_ATTRIBUTES;
    this.veiled = false; // whether the document's body waits for a script to show it: it is told as it will show
    this.formulas = null;
    this.out = [];
    this.cuts = []; // where frames of other origins go
    this.frames = [];
    this.level = 0;
    this.hidden = 0;
  }

  document(doc) {
    const veiled = this.forParts && isPageHidden(doc);
    const view = veiled ? viewOnceShown(rootElementOf(doc), null) : rootView(doc);
    if (!view) return;
    const outer = [this.formulas, this.veiled];
    this.formulas = this.all ? null : formulasOf(doc);
    this.veiled = veiled;
    this.kids(rootElementOf(doc), view);
    [this.formulas, this.veiled] = outer;
  }

  kids(el, view) {
    if (++this.level > MAX_DEPTH) this.out.push(escapeHtml(el.innerText ?? ''));
    else {
      for (const kid of composedChildrenOf(el)) {
        if (isCollapsed(el, kid)) continue;
        if (nodeTypeOf(kid) === Node.TEXT_NODE) {
          if (BLANK.test(kid.data) || view.readable || (this.veiled && view.isLegible()))
            this.out.push(escapeHtml(markCoveredText(el, kid.data)));
          else this.hidden += kid.data.length;
        } else if (nodeTypeOf(kid) === Node.ELEMENT_NODE) {
          if (clobbered(kid)) this.form(kid, view);
          else this.element(kid, view);
        }
      }
    }
    this.level--;
  }

  // A form whose inputs hide its properties.
  form(el, above) {
    const view = formView(el, above);
    if (view !== null) this.kids(el, view);
    else this.hidden += textContentOf(el).trim().length;
  }

  element(el, above) {
    const tag = el.tagName.toUpperCase();
    const formula = this.formulas?.get(el);
    if (UNRENDERED_TAGS.has(tag)) {
      if (formula) this.out.push(formula);
      return;
    }
    const isBody = tag === 'BODY' && this.veiled;
    const view = isBody ? viewOnceShown(el, above) : viewInside(el, above);
    if (!view) {
      this.hidden += el.textContent.trim().length;
      return;
    }
    if (formula) {
      this.out.push(formula);
      return;
    }
    if (!shadowRootOf(el)) suspectHost(el);
    if (tag === 'IFRAME' || tag === 'FRAME') this.frame(el);
    else if (!this.all && tag === 'SVG') this.drawing(el);
    else if (tag === 'CANVAS' || tag === 'VIDEO' || tag === 'AUDIO')
      this.out.push(escapeHtml(nameOf(el, 'img')));
    else if (!this.all && CONTROL_TAGS.has(tag) && this.control(el, view)) return;
    else this.plainElement(el, tag, view);
  }

  drawing(el) {
    const words = [...el.querySelectorAll('text')]
      .filter((text) => !text.closest('defs'))
      .map((text) => visibleTextOf(text, MAX_DRAWN));
    const told = squeeze([nameOf(el, 'img'), ...words].join(' '));
    // It is a picture: the text beside it does not go on from its words.
    if (told) this.out.push(` ${escapeHtml(told)} `);
  }

  plainElement(el, tag, view) {
    // Elements of templates and frameworks are boxes to a converter; so is a set of frames.
    const isBox = !this.all && (tag.includes('-') || tag === 'FRAMESET');
    const name = isBox ? (view.inline ? 'span' : 'div') : tag.toLowerCase();
    const at = this.out.length;
    this.out.push(`<${name}${this.attributes(el, tag, view)}>`);
    if (VOID.has(tag)) return;
    if (tag === 'TEXTAREA') this.out.push(escapeHtml(el.value));
    else this.kids(el, view);
    this.out.push(`</${name}>`);
    if (tag === 'LI' && !this.all && tagOf(parentElementOf(el)) !== 'OL' && this.isEmptySince(at))
      this.out.length = at;
    // Blocks made of inline elements must not run together.
    if (name === 'span' && view.style.display !== 'inline' && view.style.display !== 'contents')
      this.out.push(' ');
  }

  // Whether what was written says nothing: an item whose contents are hidden.
  isEmptySince(at) {
    if (this.out.length - at > MAX_CHECKED_PIECES || this.cuts.at(-1) >= at) return false;
    return this.out
      .slice(at)
      .every((piece) => BLANK.test(piece) || (piece[0] === '<' && !CONTENT_TAG.test(piece)));
  }

  control(el, view) {
    if (view.style.visibility !== 'visible') return true;
    if (el.type === 'checkbox' && el.closest('li')) return false;
    const role = roleOf(el);
    let words = '';
    if (role === 'button') words = nameOf(el, role);
    else if (FIELDS.has(role) && el.type !== 'password') words = valueOf(el, role);
    if (words) this.out.push(` ${escapeHtml(words)} `);
    return true;
  }

  attributes(el, tag, view) {
    let words = '';
    if (this.all) {
      for (const { name, value } of attributesOf(el)) {
        if (name.startsWith('on') || (name === 'value' && el.type === 'password')) continue;
        words += formatAttribute(
          name,
          name === 'href' || name === 'src' ? this.url(el, name, value) : value,
        );
      }
      return words;
    }
    for (const name of this.kept)
      if (el.hasAttribute(name)) words += formatAttribute(name, el.getAttribute(name));
    if (tag === 'A' && el.hasAttribute('href'))
      words += formatAttribute('href', this.url(el, 'href', ''));
    if (tag === 'IMG') words += formatAttribute('src', this.url(el, 'src', ''));
    if ((tag === 'A' || tag === 'IMG') && el.title) words += formatAttribute('title', el.title);
    if (tag === 'CODE' || tag === 'PRE') words += this.codeAttributes(el, tag);
    if (tag === 'TD' || tag === 'TH') words += alignmentOf(el, tag, view);
    for (const name of FORMULA_ATTRIBUTES.get(tag) ?? [])
      if (el.hasAttribute(name)) words += formatAttribute(name, el.getAttribute(name));
    return words;
  }

  codeAttributes(el, tag) {
    let words = '';
    if (el.className && this.kept === KEPT_ATTRIBUTES)
      words += formatAttribute('class', el.className);
    for (const name of CODE_HINTS)
      if (el.hasAttribute(name)) words += formatAttribute(name, el.getAttribute(name));
    return tag === 'PRE' ? words + codeWrappersOf(el) : words;
  }

  url(el, name, value) {
    const url = typeof el[name] === 'string' ? el[name] : value;
    return url.startsWith('data:') ? shortenValue(url) : url;
  }

  frame(el) {
    const inner = innerDocument(el);
    this.out.push('<div>');
    if (inner?.documentElement) this.document(inner);
    else {
      this.frames.push(el);
      this.cuts.push(this.out.length);
    }
    this.out.push('</div>');
  }

  parts() {
    const parts = [];
    let from = 0;
    for (const cut of [...this.cuts, this.out.length]) {
      parts.push(this.out.slice(from, cut).join(''));
      from = cut;
    }
    return { parts, depths: this.cuts.map(() => 0) };
  }
}

function html(options) {
  const root = scopeOf(options);
  if (!root) return null;
  const it = new HtmlSerializer(options);
  it.formulas = it.all ? null : formulasOf(document);
  if (root === rootElementOf(document)) it.document(document);
  else if (clobbered(root)) it.form(root, viewOfParent(root));
  else it.element(root, viewOfParent(root));
  pendingFrames = it.frames;
  return { ...it.parts(), refs: 0, hidden: it.hidden };
}

MARKING_READERS.add(html);
Object.assign(globalThis.openchrome, { html: (options) => runReader(html, options) });
