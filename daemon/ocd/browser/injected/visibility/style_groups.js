// Elements that must look alike, so that one of them is asked for its style and not all: 3,000 rows
// of a table cost one row. Two elements have the same style if their parents have, if tag, classes
// and all attributes that a browser's own style sheet knows agree, and if the same rules of the page
// apply to them. Rules of tags and classes only do so by the first two; all others are asked of each
// element that they may mean. Where that cannot be known nothing is taken to be alike.

const MIN_GROUPED_ELEMENTS = 400; // elements, below which looking at each is as quick
const MAX_SELECTOR_CHECKS = 8; // rules asked of each element of a tag and its classes
const MAX_ANYWHERE = 60; // rules that may mean any element
const MAX_ANIMATED = 200; // elements with an animation
// Rules that say something about what visibility.js and the outline ask of a style, or what it hangs on.
const RELEVANT_PROPERTIES = new RegExp(
  '(?:^|[ {;])(?:display|visibility|opacity|clip|position|overflow|font|text-indent' +
    '|color|background|fill|filter|white-space|cursor|float|all|animation|transition|content-visibility' +
    '|interpolate-size|-webkit-text-fill-color|-webkit-user-modify|user-modify|direction|unicode-bidi|transform|scale|rotate|translate|zoom|mask|-webkit-mask|stroke|text-shadow|-webkit-text-stroke|-webkit-background-clip|z-index|left|top|inset|color-scheme|--[\\w-]+)[\\w-]*:',
  'i',
);
const ELEMENT_SPECIFIC_VALUE =
  /\b(?:attr|sibling-index|sibling-count|random|anchor|anchor-size)\(|\dcq(?:[whib]|min|max)\b/i;
const SIMPLE_SELECTOR = /^[\w\- .>*,]+$/;
const PSEUDO_ELEMENT = /::|:(?:before|after|first-line|first-letter)\b/i;
const STYLE_NEUTRAL_ATTRIBUTES = new Set(
  (
    'class id href title alt name rel target src srcset scope colspan rowspan headers for role' +
    ' tabindex lang itemprop itemscope itemtype itemid content datetime cite onclick abbr' +
    ' loading decoding align valign width height value placeholder type'
  ).split(' '),
);
// What a browser styles by more than its attributes.
const UNGROUPED_TAGS = new Set(
  'FORM INPUT SELECT TEXTAREA OPTION OPTGROUP DIALOG DETAILS SUMMARY FIELDSET IFRAME FRAME SLOT FONT'.split(
    ' ',
  ),
);

class UnanalyzableSelector extends Error {}

class StyleGroups {
  // null where looking at each element is better.
  static of(doc) {
    const count = byTag(doc, '*').length;
    if (count < MIN_GROUPED_ELEMENTS || contentTypeOf(doc) !== 'text/html') return null;
    try {
      return new StyleGroups(doc, count);
    } catch {
      return null; // a sheet of another origin, a selector that is beyond us
    }
  }

  constructor(doc, most) {
    this.left = most;
    this.conditional = []; // { selector, tag, classes } of selectors that each element is matched with
    this.known = new Map(); // of those, by tag and classes of an element
    this.anywhere = [];
    this.quirks = compatModeOf(doc) === 'BackCompat';
    for (const sheet of sheetsIn(doc)) {
      if (!sheet.disabled) this.rules(sheet.cssRules, '', false);
    }
    if (this.anywhere.length > MAX_ANYWHERE) throw new UnanalyzableSelector();
    this.own = new Set(this.anywhere.length ? allMatches(doc, this.anywhere.join(',')) : []);
    const moving = animationsIn(doc);
    if (moving.length > MAX_ANIMATED) throw new UnanalyzableSelector();
    for (const one of moving) if (one.effect?.target) this.own.add(one.effect.target);
  }

  // measured: whether they hold by the size of something, or say something else to each element.
  rules(list, parent, measured) {
    for (const rule of list) {
      if (--this.left < 0) throw new UnanalyzableSelector();
      const kind = rule.constructor.name; // frames have classes of their own
      if (kind === 'CSSStyleRule') this.style(rule, parent, measured);
      else if (kind === 'CSSImportRule')
        this.rules(rule.styleSheet?.cssRules ?? [], parent, measured);
      else if (kind === 'CSSNestedDeclarations') this.selectors(parent, rule.cssText, measured);
      else if (kind === 'CSSScopeRule') throw new UnanalyzableSelector();
      else if (kind !== 'CSSKeyframesRule' && rule.cssRules) {
        this.rules(rule.cssRules, parent, measured || kind === 'CSSContainerRule');
      }
    }
  }

  style(rule, parent, measured) {
    let text = rule.selectorText;
    if (parent)
      text = text.includes('&')
        ? text.replaceAll('&', `:is(${parent})`)
        : `:is(${parent}) :is(${text})`;
    this.selectors(text, rule.style.cssText, measured);
    if (rule.cssRules.length) this.rules(rule.cssRules, text, measured);
  }

  selectors(text, declarations, measured) {
    if (!RELEVANT_PROPERTIES.test(declarations)) return;
    if (ELEMENT_SPECIFIC_VALUE.test(declarations)) measured = true;
    if (SIMPLE_SELECTOR.test(text) && !measured) return;
    for (const part of splitSelectors(text)) {
      if (PSEUDO_ELEMENT.test(part) || (SIMPLE_SELECTOR.test(part) && !measured)) continue;
      const subject = measured ? null : subjectOf(part);
      if (subject) this.conditional.push({ selector: part, ...subject });
      else this.anywhere.push(part);
    }
  }

  // Whether elements of a parent look like this one if they have its tag, and as little of attributes.
  isByTag(el, tag) {
    return this.own.size === 0 && this.selectorsToCheck(tag, tag, el).length === 0;
  }

  // What elements of a parent have in common if they look alike, null for one that is by itself.
  key(el, tag) {
    if (
      UNGROUPED_TAGS.has(tag) ||
      tag.includes('-') ||
      this.own.has(el) ||
      shadowRootOf(el) !== null ||
      typeof el.className !== 'string'
    )
      return null;
    let name = tag;
    if (el.hasAttributes()) {
      for (const attribute of el.getAttributeNames()) {
        if (STYLE_NEUTRAL_ATTRIBUTES.has(attribute) || attribute.startsWith('data-')) continue;
        if (!attribute.startsWith('aria-') || attribute === 'aria-modal') return null;
      }
      name = `${tag}.${el.className}${tag === 'A' && el.hasAttribute('href') ? ' href' : ''}`;
    }
    const asked = this.selectorsToCheck(tag, name, el);
    if (asked.length > MAX_SELECTOR_CHECKS)
      return asked.some((one) => el.matches(one)) ? null : name;
    for (const one of asked) name += el.matches(one) ? '+' : '-';
    return name;
  }

  selectorsToCheck(tag, name, el) {
    let found = this.known.get(name);
    if (found === undefined) {
      const lower = (text) => (this.quirks ? text.toLowerCase() : text);
      const classes = new Set([...el.classList].map(lower));
      found = this.conditional
        .filter(
          (one) =>
            (!one.tag || one.tag === tag) && one.classes.every((word) => classes.has(lower(word))),
        )
        .map((one) => one.selector);
      this.known.set(name, found);
    }
    return found;
  }
}

// A list of selectors as its parts.
function splitSelectors(text) {
  if (!text.includes(',')) return [text];
  if (!/[([\\"']/.test(text)) return text.split(',').map((part) => part.trim());
  if (/[\\"']/.test(text)) return [text];
  const parts = [''];
  let depth = 0;
  for (const sign of text) {
    if (sign === '(' || sign === '[') depth++;
    else if (sign === ')' || sign === ']') depth--;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim());
}

// Tag and classes that an element must have for a selector to mean it, null if there are none.
function subjectOf(selector) {
  if (/[\\"']/.test(selector)) return null;
  let bare = selector;
  for (let before = ''; before !== bare;) {
    before = bare;
    bare = bare.replace(/\([^()]*\)|\[[^[\]]*\]/g, '');
  }
  const last = bare.split(/[ >+~]+/).at(-1);
  if (last.includes('|') || last.includes(',') || last.includes('&')) return null;
  const tag = /^[a-z][\w-]*/i.exec(last)?.[0].toUpperCase() ?? '';
  const classes = [...last.matchAll(/\.([\w-]+)/g)].map((match) => match[1]);
  return tag || classes.length ? { tag, classes } : null;
}
