// Names and descriptions of elements, after the accessible-name computation 1.2 and HTML-AAM.

const NAMED_BY_CONTENT = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem' +
    ' menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem' +
    ' summary'
  ).split(' '),
);
const LABELABLE = /^(INPUT|SELECT|TEXTAREA|METER|PROGRESS|OUTPUT|BUTTON)$/;
// What tells a value when it stands in the words of something else.
const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'scrollbar', 'meter']);

const IRREGULAR_SPACE = /[^\S ]|  |[\u00AD\u200B\u2060]/;
const SOFT_BREAKS = /[\u00AD\u200B\u2060]/g; // where a word may be broken, or not: nothing that shows
const squeeze = (text) =>
  (IRREGULAR_SPACE.test(text) ? text.replace(SOFT_BREAKS, '').replace(/\s+/g, ' ') : text).trim();
// Signs of icon fonts: they have no meaning but by their font.
const ICON_GLYPHS = /[\uE000-\uF8FF\u{F0000}-\u{10FFFF}]/gu;
const POSSIBLE_ICON_GLYPH = /[\uE000-\uF8FF\uDB80-\uDBFF]/;
const stripIconGlyphs = (text) =>
  POSSIBLE_ICON_GLYPH.test(text) ? squeeze(text.replace(ICON_GLYPHS, ' ')) : text;

function elementsByIds(el, attribute) {
  const ids = getAttributeOf(el, attribute);
  if (!ids) return [];
  const scope = rootNodeOf(el);
  return ids
    .trim()
    .split(/\s+/)
    .map((id) => byId(scope, id))
    .filter(Boolean);
}

// The accessible name; `style` is the element's, if it is at hand.
function nameOf(el, role, style) {
  if (role === 'none') return '';
  return (
    labelledName(el, role) ||
    nameWithoutReferences(el, role, style) ||
    (role === 'textbox' && tagOf(el) === 'BODY' ? nameOfFrame(el) : '')
  );
}

// A document that is edited as a whole goes by the name of the frame that shows it.
function nameOfFrame(body) {
  const frame = windowOf(documentOf(body))?.frameElement;
  return frame ? nameOf(frame, roleOf(frame)) : '';
}

function labelledName(el, role) {
  if (!el.hasAttribute('aria-labelledby')) return '';
  const labels = elementsByIds(el, 'aria-labelledby');
  if (!labels.length) return '';
  if (labels.length === 1 && !nodeContains(labels[0], el)) return referencedText(labels[0]);
  const walk = new NameComputation(el, true);
  return squeeze(
    labels
      .map((label) =>
        label === el
          ? nameAsOwnLabel(el, role, walk)
          : textAlternativeOf(label, walk, isReferenced(label)),
      )
      .join(' '),
  );
}

// The name of a form whose inputs hide its properties.
const clobberedFormName = (el) =>
  squeeze(elementsByIds(el, 'aria-labelledby').map(referencedText).join(' ')) ||
  squeeze(getAttributeOf(el, 'aria-label') ?? '');

// The words of an element that a name or description refers to, which many may do.
const referencedText = oncePerTurn((el) =>
  squeeze(textAlternativeOf(el, new NameComputation(null, true), isReferenced(el))),
);

// The name that an element is given; what a script has written of a value that it does not have is none.
function givenNameOf(el) {
  const name = squeeze(el.getAttribute('aria-label') || '');
  return name === 'null' || name === 'undefined' ? '' : name;
}

function nameWithoutReferences(el, role, style) {
  const own = givenNameOf(el);
  if (own) return own;
  const native = nativeName(el, role);
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role)) {
    const text = stripIconGlyphs(squeeze(nameFromContent(el, null, false, style)));
    if (text) return text;
  }
  const title = squeeze(el.getAttribute('title') || '');
  if (title) return title;
  if (role === 'combobox' || role === 'listbox') {
    const list = el.querySelector('select[tabindex="-1"]:not([multiple])');
    if (list) return labelName(list); // it is drawn for that
  }
  const host = LABELLED_ROLES.has(role) ? labelledHostOf(el) : null;
  if (host) return labelName(host);
  return FIELDS.has(role)
    ? squeeze(el.placeholder || el.getAttribute('aria-placeholder') || '')
    : '';
}

// What an element that is among its own labels adds to its name.
function nameAsOwnLabel(el, role, walk) {
  if (walk.seen.has(el)) return '';
  return (
    givenNameOf(el) ||
    nativeRoleName(el, role) ||
    nameFromContent(el, walk) ||
    squeeze(el.getAttribute('title') || '') ||
    labelName(el, walk)
  );
}

const isLabelable = (el) =>
  LABELABLE.test(el.tagName) || (tagOf(el).includes('-') && labelsOf(el).length > 0);
const nativeName = (el, role) => (isLabelable(el) && labelName(el)) || nativeRoleName(el, role);

function labelName(el, walk = new NameComputation(el)) {
  const own = labelsOf(el);
  const labels = own.length ? own : orphanLabels(el);
  return squeeze(
    labels.map((label) => textAlternativeOf(label, walk, REFERENCED_VISIBLE)).join(' '),
  );
}

// A label around a control that is meant for something that is not there.
function orphanLabels(el) {
  const label =
    el.tagName !== 'BUTTON' &&
    parentElementOf(el) &&
    closestMatch(parentElementOf(el), 'label[for]');
  return label && label.control === null ? [label] : [];
}

// What the element's own kind gives it as a name.
function nativeRoleName(el, role) {
  const tag = capitalTagOf(el);
  switch (tag) {
    case 'INPUT':
      if (el.type === 'image') return squeeze(el.alt || el.title || 'Submit');
      if (el.type === 'submit' || el.type === 'reset')
        return (
          squeeze(el.value) ||
          (el.hasAttribute('value') ? '' : el.type === 'submit' ? 'Submit' : 'Reset')
        );
      return el.type === 'button' ? squeeze(el.value) : '';
    case 'IMG':
    case 'AREA':
      return role === 'none' ? '' : squeeze(el.alt || '');
    case 'FIELDSET':
      return childText(el, 'LEGEND');
    case 'TABLE':
      return childText(el, 'CAPTION') || squeeze(el.getAttribute('summary') || '');
    case 'FIGURE':
      return role === 'figure' ? childText(el, 'FIGCAPTION') : '';
    case 'SVG':
      return (
        childText(el, 'TITLE') ||
        squeeze(el.getAttributeNS('http://www.w3.org/1999/xlink', 'title') || '')
      );
    case 'OPTION':
      return squeeze(el.label || el.text);
    case 'OPTGROUP':
      return squeeze(el.label || '');
    case 'DETAILS':
      return role === 'summary' ? 'Details' : '';
    case 'SUMMARY':
      return squeeze(nameFromContent(el)) || squeeze(el.getAttribute('title') || '');
    default:
      return el.namespaceURI === SVG_SPACE ? svgName(el) : '';
  }
}

// The title of a drawing's part; of a link in it, its words come first.
function svgName(el) {
  const title = childText(el, 'TITLE');
  return title || tagOf(el) !== 'a'
    ? title
    : squeeze(nameFromContent(el)) ||
        squeeze(el.getAttributeNS('http://www.w3.org/1999/xlink', 'title') || '');
}

function childText(el, tag) {
  for (const child of el.children) {
    if (capitalTagOf(child) !== tag) continue;
    return squeeze(
      tag === 'TITLE'
        ? child.textContent
        : textAlternativeOf(child, new NameComputation(el), REFERENCED_VISIBLE),
    );
  }
  return '';
}

// How hidden parts of a text that a name refers to count: all of them if it is hidden as a whole,
// else none; it is not asked itself whether assistive software is told of it.
const REFERENCED_VISIBLE = 'asked for';
const isReferenced = (el) =>
  !el.checkVisibility({ visibilityProperty: true }) || REFERENCED_VISIBLE;

// One computation of a name. named: whose it is; referring: whether it follows aria-labelledby, which
// is followed once only; seen: guards against labels that refer to each other.
class NameComputation {
  constructor(named = null, referring = false) {
    this.named = named;
    this.referring = referring;
    this.seen = new Set();
    this.owned = 0; // elements that were owned by those before
    this.skipsIcons = false; // whether the words for icons are left out
  }
}

// What a node adds to a name. evenHidden: see above.
function textAlternativeOf(node, walk, evenHidden) {
  if (nodeTypeOf(node) === Node.TEXT_NODE) return node.data;
  if (nodeTypeOf(node) !== Node.ELEMENT_NODE || walk.seen.has(node)) return '';
  walk.seen.add(node);
  const style = getComputedStyle(node);
  if (evenHidden !== true) {
    if (
      style.display === 'none' ||
      (style.contentVisibility === 'hidden' && style.display !== 'inline') ||
      (!evenHidden && node.getAttribute('aria-hidden') === 'true')
    )
      return '';
    evenHidden = false;
  }
  const part = elementAlternativeOf(node, walk, evenHidden, style);
  const { display } = style;
  const inline = display === 'inline' || display === 'contents' || display === 'math';
  return inline ? part : ` ${part} `;
}

function elementAlternativeOf(node, walk, evenHidden, style) {
  // A control inside its own label counts for nothing, a button does in what it refers to.
  if (node === walk.named)
    return LABELABLE.test(node.tagName) && !(node.tagName === 'BUTTON' && walk.referring)
      ? ''
      : nameFromContent(node, walk, evenHidden, style);
  if (!node.hasAttributes()) return namePart(node, walk, evenHidden, style);
  if (!walk.referring && node.hasAttribute('aria-labelledby')) {
    walk.referring = true;
    const text = squeeze(
      elementsByIds(node, 'aria-labelledby')
        .map((one) => {
          if (one === node) walk.seen.delete(node); // it names itself among others
          return textAlternativeOf(one, walk, isReferenced(one));
        })
        .join(' '),
    );
    walk.referring = false;
    if (text) return ` ${text} `;
  }
  const value = embeddedValue(node, walk, evenHidden);
  if (value !== null) return value;
  const given = TAGS_WITHOUT_LABEL.has(node.tagName) ? '' : givenNameOf(node);
  return given ? ` ${given} ` : namePart(node, walk, evenHidden, style);
}

// What a control says inside other words: its value; null for what is none.
function embeddedValue(node, walk, evenHidden) {
  const role = node.getAttribute('role');
  if (role === 'menu') return '';
  if (RANGES.has(role))
    return (
      node.getAttribute('aria-valuetext') || node.getAttribute('aria-valuenow') || node.value || ''
    );
  const value = nativeValueOf(node);
  if (value !== null) return value;
  if (role === 'textbox' || role === 'searchbox') return nameFromContent(node, walk, evenHidden);
  if (role !== 'combobox' && role !== 'listbox') return null;
  const boxes = [node, ...elementsByIds(node, 'aria-owns')].flatMap((box) => [
    box,
    ...box.querySelectorAll('[role=listbox]'),
  ]);
  const list = boxes.find((one) => one.getAttribute('role') === 'listbox');
  if (!list) return nameFromContent(node, walk, evenHidden);
  return [...list.querySelectorAll('[aria-selected=true]')]
    .map((one) => textAlternativeOf(one, walk, REFERENCED_VISIBLE))
    .join(' ');
}

// What stands in a native field that tells its value in other words; null for what does not.
function nativeValueOf(node) {
  switch (node.tagName) {
    case 'INPUT':
      return INPUTS_WITHOUT_TEXT.test(node.type) ? null : node.value;
    case 'TEXTAREA':
      return node.value;
    case 'SELECT':
      return [...node.selectedOptions].map((option) => option.text).join(' ');
    default:
      return null;
  }
}

// Inputs whose value nobody reads, and those that have a name instead.
const INPUTS_WITHOUT_TEXT = /^(?:hidden|password|checkbox|radio|file|button|submit|reset|image)$/;
const TAGS_WITHOUT_LABEL = new Set(['SLOT', 'SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT']); // whatever label they have
// What stands in them is no text of the page.
const TAGS_WITHOUT_TEXT = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'NOSCRIPT',
  'TITLE',
  'CANVAS',
  'VIDEO',
  'AUDIO',
  'IFRAME',
]);

function namePart(node, walk, evenHidden, style) {
  const tag = capitalTagOf(node);
  switch (tag) {
    case 'BR':
      return ' ';
    case 'IMG':
      return node.hasAttribute('role') && roleOf(node) === 'none'
        ? ''
        : squeeze(node.alt || node.title || '');
    case 'AREA':
      return squeeze(node.alt || node.title || '');
    case 'SVG':
      return nameOf(node, 'img');
    case 'INPUT':
      return (
        nativeValueOf(node) ??
        (/^(button|submit|reset|image)$/.test(node.type) ? nameOf(node, 'button') : '')
      );
    case 'TEXTAREA':
    case 'SELECT':
      return nativeValueOf(node);
    case 'MJX-CONTAINER':
      return textOfMathJax(node) || nameFromContent(node, walk, evenHidden, style);
    case 'MATH':
      if (isPlainFormula(node)) return formulaText(node);
      break;
    default:
      break;
  }
  if (TAGS_WITHOUT_TEXT.has(tag)) return node.title || '';
  const text = nameFromContent(node, walk, evenHidden, style);
  if (/\S/.test(text) || !node.hasAttributes()) return text;
  return (
    (roleOf(node) === 'none' ? '' : node.getAttribute('title')) ||
    (node.namespaceURI === SVG_SPACE && childText(node, 'TITLE')) ||
    text
  );
}

// The words in an element, as its name has them.
function nameFromContent(el, walk = null, evenHidden = false, style = getComputedStyle(el)) {
  const shown = evenHidden || style.visibility === 'visible';
  const given = tagOf(el) === 'Q' || mayBeGiven(el);
  let text = given ? generatedText(el, '::before') : '';
  const first = firstChildOf(el);
  const owner = el.hasAttributes() && el.hasAttribute('aria-owns');
  if (
    first &&
    !owner &&
    nodeTypeOf(first) === 3 &&
    !nextSiblingOf(first) &&
    !hasComposedChildren(el)
  ) {
    return (
      (shown && !(walk?.skipsIcons && isIconWord(el, first.data)) ? text + first.data : text) +
      (given ? generatedText(el, '::after') : '')
    );
  }
  const inner = walk || new NameComputation(el);
  inner.seen.add(el);
  const tree = el.getAttribute('role') === 'treeitem';
  const fold = tagOf(el) === 'DETAILS' && !el.open && evenHidden !== true;
  for (const kid of composedChildrenOf(el)) {
    if (fold && isCollapsed(el, kid)) continue;
    if (nodeTypeOf(kid) === Node.TEXT_NODE) {
      if (shown && !(inner.skipsIcons && isIconWord(el, kid.data))) text += kid.data;
    } else if (!(
      tree &&
      nodeTypeOf(kid) === Node.ELEMENT_NODE &&
      kid.getAttribute('role') === 'group'
    )) {
      text += textAlternativeOf(kid, inner, evenHidden);
    }
  }
  if (owner) text += ownedText(el, inner, evenHidden);
  return given ? text + generatedText(el, '::after') : text;
}

const MAX_OWNED = 100; // elements in one name: those of others may own further ones

function ownedText(el, walk, evenHidden) {
  const owned = elementsByIds(el, 'aria-owns')
    .slice(0, Math.max(MAX_OWNED - walk.owned, 0))
    .filter((one) => evenHidden === true || one.checkVisibility());
  walk.owned += owned.length;
  return owned.map((one) => ` ${textAlternativeOf(one, walk, evenHidden)}`).join('');
}

const descriptionOf = (el) => ariaDescriptionOf(el) || titleUnlessName(el);

function titleUnlessName(el) {
  const title = squeeze(el.getAttribute('title') || '');
  return title && title !== nameOf(el, roleOf(el)) ? title : '';
}

// What is said to be wrong with an invalid field.
function errorMessageOf(el) {
  const invalid = el.getAttribute('aria-invalid');
  return invalid && invalid !== 'false'
    ? squeeze(elementsByIds(el, 'aria-errormessage').map(referencedText).join(' '))
    : '';
}

// The description without the hint that a pointer brings.
function ariaDescriptionOf(el) {
  const nodes = elementsByIds(el, 'aria-describedby');
  const walk = new NameComputation(null, true);
  const text =
    nodes.length === 1
      ? referencedText(nodes[0])
      : squeeze(nodes.map((node) => textAlternativeOf(node, walk, isReferenced(node))).join(' '));
  return text || squeeze(el.getAttribute('aria-description') || '');
}
