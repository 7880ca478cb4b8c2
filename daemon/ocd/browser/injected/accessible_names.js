// Roles, names and states of elements, after ARIA in HTML and the accessible-name computation.

const SVG_SPACE = 'http://www.w3.org/2000/svg';
const HEADING = /^H[1-6]$/;
const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
  radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', color: 'color',
  date: 'date', time: 'time', 'datetime-local': 'datetime', month: 'month', week: 'week',
  file: 'file',
};
const TAG_ROLES = {
  A: (el) => (el.hasAttribute('href') || el.hasAttribute('xlink:href') ? 'link' : ''),
  AREA: (el) => (el.hasAttribute('href') ? 'link' : ''),
  ARTICLE: 'article', ASIDE: 'complementary', BLOCKQUOTE: 'blockquote', BUTTON: 'button',
  DETAILS: 'group', DIALOG: 'dialog', DD: 'definition', DT: 'term', FIELDSET: 'group',
  FIGURE: 'figure', H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading', FORM: (el) => (named(el) ? 'form' : ''),
  FOOTER: (el) => (sectioned(el) ? '' : 'contentinfo'),
  HEADER: (el) => (sectioned(el) ? '' : 'banner'),
  IFRAME: 'iframe', FRAME: 'iframe', IMG: (el) => (el.getAttribute('alt') === '' ? 'none' : 'img'),
  INPUT: (el) => (el.list && /^(text|search|email|tel|url)$/.test(el.type)
    ? 'combobox' : INPUT_ROLES[el.type] || 'textbox'),
  LI: (el) => (/^(UL|OL|MENU)$/.test(el.parentElement?.tagName) ? 'listitem' : ''),
  MAIN: 'main', MENU: 'list', METER: 'meter', NAV: 'navigation', OL: 'list',
  OPTGROUP: 'group', OPTION: 'option', OUTPUT: 'status', PROGRESS: 'progressbar', SEARCH: 'search',
  SECTION: (el) => (named(el) ? 'region' : ''),
  SELECT: (el) => (el.multiple || el.size > 1 ? 'listbox' : 'combobox'),
  SUMMARY: (el) => (isSummary(el) ? 'summary' : ''),
  SVG: 'img', TABLE: 'table', TBODY: 'rowgroup', TFOOT: 'rowgroup', THEAD: 'rowgroup', TD: 'cell',
  TEXTAREA: 'textbox', TH: (el) => (el.scope === 'row' ? 'rowheader' : 'columnheader'), TR: 'row',
  UL: 'list', VIDEO: 'video', AUDIO: 'audio', CANVAS: 'canvas',
};
const ROLES = new Set(('alert alertdialog application article banner blockquote button caption cell'
  + ' checkbox columnheader combobox complementary contentinfo definition dialog directory document'
  + ' feed figure form grid gridcell group heading img image link list listbox listitem log main'
  + ' marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note'
  + ' option presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search'
  + ' searchbox separator slider spinbutton status switch tab table tablist tabpanel term textbox'
  + ' timer toolbar tooltip tree treegrid treeitem').split(' '));
const WIDGETS = new Set(('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio'
  + ' option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem color date time'
  + ' datetime month week file summary').split(' '));
const NAMED_BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem'
  + ' menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem'
  + ' summary').split(' '));
const FIELDS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'date', 'time',
  'datetime', 'month', 'week', 'color', 'file']);
const VALUED = /^(INPUT|SELECT|TEXTAREA)$/;
const LABELABLE = /^(INPUT|SELECT|TEXTAREA|METER|PROGRESS|OUTPUT|BUTTON)$/;

const UNTIDY = /[^\S ]|  /;
const squeeze = (text) => (UNTIDY.test(text) ? text.replace(/\s+/g, ' ') : text).trim();

function named(el) {
  return el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby') || el.hasAttribute('title');
}

function sectioned(el) {
  return el.parentElement?.closest('article, aside, main, nav, section') != null;
}

function focusable(el) {
  const index = el.getAttribute('tabindex');
  if (index !== null && !Number.isNaN(parseInt(index, 10))) return true;
  return el.matches('a[href], area[href], button, input, select, textarea, summary, iframe') || isEditingHost(el);
}

function roleOf(el) {
  const given = el.getAttribute('role');
  if (given) {
    for (const word of given.toLowerCase().split(/\s+/)) {
      if (!ROLES.has(word)) continue;
      if (word !== 'none' && word !== 'presentation') return word === 'image' ? 'img' : word;
      // Whoever can be focused is not presentational.
      if (!focusable(el)) return 'none';
      break;
    }
  }
  const role = TAG_ROLES[el.tagName.toUpperCase()];
  if (role === undefined) return isEditingHost(el) ? 'textbox' : '';
  const found = typeof role === 'string' ? role : role(el);
  return found === 'none' && (named(el) || focusable(el)) ? 'img' : found;
}

function isEditingHost(el) {
  return el.isContentEditable && !el.parentElement?.isContentEditable;
}

function byIds(el, attribute) {
  const ids = el.getAttribute(attribute);
  if (!ids) return [];
  const scope = el.getRootNode();
  return ids.trim().split(/\s+/).map((id) => scope.getElementById?.(id)).filter(Boolean);
}

// The accessible name; `style` is the element's, if it is at hand.
function nameOf(el, role, style) {
  const labels = byIds(el, 'aria-labelledby');
  if (labels.length) {
    const text = squeeze(labels.map((label) => (label === el ? selfName(el, role) : textOf(label, new Set(), referenced(label), null))).join(' '));
    if (text) return text;
  }
  const own = squeeze(el.getAttribute('aria-label') || '');
  if (own) return own;
  const native = nativeName(el, role);
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role)) {
    const text = squeeze(contentOf(el, null, false, style));
    if (text) return text;
  }
  const title = squeeze(el.getAttribute('title') || '');
  if (title) return title;
  return FIELDS.has(role) ? squeeze(el.placeholder || el.getAttribute('aria-placeholder') || '') : '';
}

// What an element that is among its own labels adds to its name.
function selfName(el, role) {
  return squeeze(el.getAttribute('aria-label') || '') || nativeName(el, role) || contentOf(el, new Set());
}

function nativeName(el, role) {
  const tag = el.tagName.toUpperCase();
  if (LABELABLE.test(tag) && el.labels?.length) {
    const text = squeeze([...el.labels].map((label) => textOf(label, new Set([el]), false, el)).join(' '));
    if (text) return text;
  }
  switch (tag) {
    case 'INPUT':
      if (el.type === 'image') return squeeze(el.alt || el.title || 'Submit');
      if (/^(button|submit|reset)$/.test(el.type)) {
        return squeeze(el.value || el.title || { submit: 'Submit', reset: 'Reset' }[el.type] || '');
      }
      return '';
    case 'IMG': case 'AREA': return squeeze(el.alt || '');
    case 'FIELDSET': return childText(el, 'LEGEND');
    case 'TABLE': return childText(el, 'CAPTION') || squeeze(el.getAttribute('summary') || '');
    case 'FIGURE': return role === 'figure' ? childText(el, 'FIGCAPTION') : '';
    case 'SVG': return childText(el, 'TITLE') || squeeze(el.getAttributeNS('http://www.w3.org/1999/xlink', 'title') || '');
    case 'OPTION': return squeeze(el.label || el.text);
    case 'OPTGROUP': return squeeze(el.label || '');
    case 'SUMMARY': return squeeze(contentOf(el, new Set())) || (role === 'summary' ? 'Details' : '');
    default: return el.namespaceURI === SVG_SPACE ? childText(el, 'TITLE') : '';
  }
}

function childText(el, tag) {
  for (const child of el.children) {
    if (child.tagName.toUpperCase() !== tag) continue;
    return squeeze(tag === 'TITLE' ? child.textContent : textOf(child, new Set(), referenced(child), el));
  }
  return '';
}

// How hidden parts of a text that a name refers to count: all of them if it is hidden as a whole,
// else none; it is not asked itself whether assistive software is told of it.
const ASKED_FOR = 'asked for';
const referenced = (el) => !el.checkVisibility({ visibilityProperty: true }) || ASKED_FOR;

// What an element adds to a name. `named` is the element whose name is computed, `seen` guards
// against labels that refer to each other. evenHidden: see above.
function textOf(node, seen, evenHidden, named) {
  if (typeOf(node) === Node.TEXT_NODE) return node.data;
  if (typeOf(node) !== Node.ELEMENT_NODE || (seen.has(node) && node !== named)) return '';
  if (node !== named) seen.add(node);
  const style = getComputedStyle(node);
  if (evenHidden !== true) {
    if (style.display === 'none' || (!evenHidden && node.getAttribute('aria-hidden') === 'true')) return '';
    evenHidden = false;
  }
  if (node === named) {
    // A control inside its own label counts for nothing.
    if (LABELABLE.test(node.tagName) && node.tagName !== 'BUTTON') return '';
  } else if (!VALUED.test(node.tagName)) {
    const label = squeeze(node.getAttribute('aria-label') || '');
    if (label) return ` ${label} `;
  }
  const part = partOf(node, seen, evenHidden, style);
  const inline = style.display === 'inline' || style.display === 'contents';
  return inline ? part : ` ${part} `;
}

// What stands in them is no text of the page.
const WORDLESS = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'TITLE', 'CANVAS', 'VIDEO', 'AUDIO']);

function partOf(node, seen, evenHidden, style) {
  const tag = node.tagName.toUpperCase();
  if (tag === 'BR') return ' ';
  if (tag === 'IMG' || tag === 'AREA') return squeeze(node.alt || node.title || '');
  if (tag === 'SVG') return nameOf(node, 'img');
  if (tag === 'INPUT') {
    if (/^(button|submit|reset|image)$/.test(node.type)) return nameOf(node, 'button');
    return /^(hidden|password|checkbox|radio|file)$/.test(node.type) ? '' : node.value;
  }
  if (tag === 'TEXTAREA') return node.value;
  if (tag === 'SELECT') return [...node.selectedOptions].map((option) => option.text).join(' ');
  if (WORDLESS.has(tag)) return node.title || '';
  if (tag === 'IFRAME') return node.title || '';
  const text = contentOf(node, seen, evenHidden, style);
  return text.trim() ? text : node.getAttribute('title') || (node.namespaceURI === SVG_SPACE && childText(node, 'TITLE')) || text;
}

function contentOf(el, met, evenHidden = false, style = getComputedStyle(el)) {
  const shown = evenHidden || style.visibility === 'visible';
  let text = generated(el, '::before');
  const first = firstOf(el);
  if (first && typeOf(first) === 3 && !nextOf(first) && !hasOtherKids(el)) {
    return (shown ? text + first.data : text) + generated(el, '::after');
  }
  const seen = met || new Set();
  const tree = el.getAttribute('role') === 'treeitem';
  for (const kid of kidsOf(el)) {
    if (typeOf(kid) === Node.TEXT_NODE) {
      if (shown) text += kid.data;
    } else if (!(tree && typeOf(kid) === Node.ELEMENT_NODE && kid.getAttribute('role') === 'group')) {
      text += textOf(kid, seen, evenHidden, null);
    }
  }
  return text + generated(el, '::after');
}

// Whether a style sheet of the document makes ::before or ::after at all: most do not, and asking
// every element costs more than all the rest. Sheets that may not be looked into count as if.
const generating = new WeakMap();
let generatesIn = new Map();

function generates(document) {
  let found = generatesIn.get(document);
  if (found === undefined) {
    found = [...document.styleSheets, ...document.adoptedStyleSheets].some((sheet) => {
      if (!generating.has(sheet)) generating.set(sheet, sheetGenerates(sheet));
      return generating.get(sheet);
    });
    generatesIn.set(document, found);
  }
  return found;
}

function sheetGenerates(sheet) {
  try {
    return [...sheet.cssRules].some((rule) => /:(before|after)\b/.test(rule.cssText));
  } catch {
    return true;
  }
}

// The words of ::before and ::after; counters and pictures have none.
function generated(el, pseudo) {
  if (!generates(el.ownerDocument) && !el.getRootNode().host) return '';
  const { content, display, visibility, opacity } = getComputedStyle(el, pseudo);
  if (display === 'none' || visibility !== 'visible' || opacity === '0') return '';
  if (content === 'none' || content === 'normal' || content[0] !== '"') return '';
  const spoken = /\/\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(content);
  if (spoken) return spoken[1].replace(/\\(.)/g, '$1');
  return [...content.matchAll(/"((?:[^"\\]|\\.?)*)"?/g)].map((m) => m[1].replace(/\\(.)/g, '$1')).join('');
}

function descriptionOf(el) {
  const nodes = byIds(el, 'aria-describedby');
  const text = nodes.map((node) => textOf(node, new Set([el]), referenced(node), el)).join(' ');
  return squeeze(text || el.getAttribute('aria-description') || '');
}
