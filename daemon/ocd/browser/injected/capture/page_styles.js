// How a page is styled, for people who look for why it looks so: what it is made with, its custom
// properties, and what its elements set that others do not.

const MAX_STYLED = 2000;
const MAX_GROUPS = 30;
const MAX_CUSTOM = 40;
const MAX_STYLE_VALUE = 80;
// Visual properties with the values that say nothing.
const VISUAL = {
  display: /^(?:block|inline|list-item|table.*|none)$/,
  position: /^static$/,
  top: /^auto$/,
  right: /^auto$/,
  bottom: /^auto$/,
  left: /^auto$/,
  'z-index': /^auto$/,
  float: /^none$/,
  'max-width': /^none$/,
  margin: /^0px$/,
  padding: /^0px$/,
  border: /^0px/,
  'border-radius': /^0px$/,
  'box-shadow': /^none$/,
  'background-color': /^rgba\(0, 0, 0, 0\)$/,
  'background-image': /^none$/,
  'text-decoration-line': /^none$/,
  opacity: /^1$/,
  overflow: /^visible$/,
  transform: /^none$/,
  transition: /^all(?: 0s ease 0s)?$/,
  'animation-name': /^none$/,
  'flex-direction': /^row$/,
  'justify-content': /^normal$/,
  'align-items': /^normal$/,
  gap: /^normal$/,
  'grid-template-columns': /^none$/,
};
// These are told where they are set, not where they are inherited.
const INHERITED = (
  'color font-family font-size font-weight line-height text-align text-transform white-space visibility cursor' +
  ' pointer-events'
).split(' ');
const MADE_WITH = {
  Bootstrap: () =>
    anyMatch('[class*="col-md-"], [class*="col-sm-"], .navbar-nav, .btn-primary') &&
    anyMatch('.container, .container-fluid, .row'),
  Tailwind: () =>
    [...allMatches(document, '[class]')]
      .slice(0, 500)
      .filter((el) => TAILWIND.test(el.getAttribute('class'))).length > 5,
  'Material UI': () => anyMatch('[class*="Mui"]'),
  'Ant Design': () => anyMatch('[class*="ant-"]'),
  Bulma: () => anyMatch('.columns > .column'),
  Foundation: () => anyMatch('.grid-x > .cell'),
  'styled-components': () => anyMatch('style[data-styled], [class*="sc-"]'),
  Emotion: () => anyMatch('style[data-emotion]'),
  Chakra: () => anyMatch('[class*="chakra-"]'),
  Fluent: () => anyMatch('[class*="ms-Fabric"], [class*="fui-"]'),
  'Next.js': () => anyMatch('#__next, script#__NEXT_DATA__, script[src*="/_next/"]'),
  Nuxt: () => anyMatch('#__nuxt, script[src*="/_nuxt/"]'),
  Gatsby: () => anyMatch('#___gatsby'),
  React: () => anyMatch('[data-reactroot], #__next, script[src*="react"]'),
  Angular: () => anyMatch('[ng-version], [ng-app], app-root'),
  Vue: () =>
    anyMatch('[data-v-app], [data-server-rendered], script[src*="vue"]') ||
    hasScopeAttribute(/^data-v-/),
  Svelte: () => anyMatch('[class*="svelte-"]'),
  Astro: () => anyMatch('astro-island, [class*="astro-"]'),
  jQuery: () => anyMatch('script[src*="jquery" i]'),
  HTMX: () => anyMatch('[hx-get], [hx-post], script[src*="htmx"]'),
  Alpine: () => anyMatch('[x-data]'),
  WordPress: () => anyMatch('link[href*="wp-content"], script[src*="wp-includes"]'),
};
const STYLING = new Set(
  'Bootstrap,Tailwind,Material UI,Ant Design,Bulma,Foundation,styled-components,Emotion,Chakra,Fluent'.split(
    ',',
  ),
);
const TAILWIND =
  /(?:^|\s)(?:(?:sm|md|lg|hover|focus):)?(?:[pm][xytrbl]?-\d+|(?:bg|text|border)-[a-z]+-\d{2,3}|flex|grid-cols-\d|rounded-(?:sm|md|lg|xl|full))(?:\s|$)/;

const anyMatch = (selector) => firstMatch(document, selector) !== null;
const hasScopeAttribute = (pattern) =>
  [...allMatches(document, 'body *')]
    .slice(0, 300)
    .some((el) => !clobbered(el) && el.getAttributeNames().some((name) => pattern.test(name)));

function ownStyles(el) {
  const style = getComputedStyle(el);
  const words = [];
  const tell = (name, value) => words.push(`${name}: ${clip(value, MAX_STYLE_VALUE)}`);
  for (const [name, nothing] of Object.entries(VISUAL)) {
    const value = style.getPropertyValue(name);
    if (value && !nothing.test(value)) tell(name, value);
  }
  const parent = el.parentElement && getComputedStyle(el.parentElement);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (value && value !== parent?.getPropertyValue(name)) tell(name, value);
  }
  return words.join('; ');
}

function customProperties() {
  const names = new Set();
  const collect = (rules) => {
    for (const rule of rules) {
      if (rule.selectorText && /(?:^|,\s*)(?::root|html|:host)\b/.test(rule.selectorText)) {
        for (const name of rule.style) if (name.startsWith('--')) names.add(name);
      }
      if (rule.cssRules?.length) collect(rule.cssRules);
    }
  };
  let unread = 0;
  for (const sheet of sheetsIn(document)) {
    try {
      collect(sheet.cssRules);
    } catch {
      unread++; // of another origin
    }
  }
  const style = getComputedStyle(rootElementOf(document));
  const lines = [...names].map(
    (name) => `${name}: ${clip(squeeze(style.getPropertyValue(name)), MAX_STYLE_VALUE)}`,
  );
  return { lines, unread };
}

const classesOf = (el) =>
  typeof el.className === 'string' ? squeeze(el.className).split(' ').filter(Boolean) : [];

function groupsOf(elements) {
  const groups = new Map();
  for (const el of elements) {
    const name = [tagOf(el).toLowerCase(), ...classesOf(el)].join('.');
    const known = groups.get(name);
    if (known) known.count++;
    else groups.set(name, { name, el, count: 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

const hasGeneratedBox = (el, pseudo) =>
  !/^(?:none|normal|)$/.test(getComputedStyle(el, pseudo).content);

function groupLine({ name, el, count }) {
  const words = ownStyles(el);
  const marks = ['::before', '::after'].filter((pseudo) => hasGeneratedBox(el, pseudo)).join(' ');
  return `${clip(name, 120)} ×${count}${marks ? ` ${marks}` : ''}${words ? ` { ${words} }` : ''}`;
}

function formatSection(title, lines, most) {
  if (!lines.length) return '';
  const more = lines.length - most;
  const rest = more > 0 ? `\n  … ${more} more` : '';
  return `${title} (${lines.length}):\n${lines
    .slice(0, most)
    .map((line) => `  ${line}`)
    .join('\n')}${rest}\n`;
}

function css(options) {
  const scope = scopeOf(options);
  if (!scope) return null;
  pendingFrames = [];
  const all = [scope, ...allMatches(scope, '*')].filter(
    (el) => !UNRENDERED_TAGS.has(tagOf(el).toUpperCase()) && !clobbered(el),
  );
  const groups = groupsOf(all.slice(0, MAX_STYLED));
  const made = Object.keys(MADE_WITH).filter((name) => MADE_WITH[name]());
  const custom = customProperties();
  const names = (wanted) =>
    made.filter((name) => STYLING.has(name) === wanted).join(', ') || 'none recognised';
  const cut = all.length - Math.min(all.length, MAX_STYLED);
  const text =
    `styled with: ${names(true)}\nmade with: ${names(false)}\n` +
    `style sheets: ${sheetsIn(document).length}` +
    `${custom.unread ? ` (${custom.unread} of other origins could not be read)` : ''}\n` +
    formatSection('custom properties of the root', custom.lines, MAX_CUSTOM) +
    `elements: ${all.length}${cut ? ` (the last ${cut} were not looked at; pass selector for a part)` : ''}\n` +
    formatSection(
      'groups of elements, and what they set',
      groups.map((one, place) => (place < MAX_GROUPS ? groupLine(one) : '')),
      MAX_GROUPS,
    );
  return { parts: [text], depths: [], refs: 0, hidden: 0 };
}

Object.assign(globalThis.openchrome, { css: (options) => runReader(css, options) });
