// What stands after a role and a name: states, values, options and targets.

const MAX_OPTIONS_SHOWN = 20;
const MAX_OPTION_CHARS = 300;
const MIN_OPTIONS = 3;
const MIN_REPEATED_OPTIONS = 16; // characters of a list that is told once
const MAX_SHADOW_VALUE = 200; // characters that a field shows in its shadow tree
const MAX_URL = 500;
const MAX_QUERY = 48; // what follows says less than where a link goes
const ROOT_RELATIVE = /^\/(?:[\w\-=&%+~,;@][\w\-=&%+~,;@./?]*)?$/;
const GRID_SELECTOR = 'table, [role=grid], [role=table], [role=treegrid]';
const RELATIVE_PATH = /^[\w%~-][^:]*$/; // what no scheme begins

const quote = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;

// What can be disabled, without an attribute of its own, by what it stands in.
const DISABLEABLE_TAGS =
  /^(?:INPUT|SELECT|TEXTAREA|METER|PROGRESS|OUTPUT|BUTTON|FIELDSET|OPTION|OPTGROUP)$|-/;

const MARKED_DISABLED = '[aria-disabled=true]';
const CHECKABLE_ROLES = /^(?:checkbox|radio|switch|option|treeitem|menuitem|gridcell)/;

const MEDIA_TAGS = /^(?:VIDEO|AUDIO)$/;
const NEVER_MIXED = /^(?:switch|radio|menuitemradio)$/; // half ticked is not ticked there
const NATIVE_FIELD = /^(?:INPUT|SELECT|TEXTAREA)$/;
const UNSET = /^(?:false|undefined|null)$/;
const CURRENT_OF = /^(?:page|step|location|date|time)$/; // any other word says no more than true
const SORTED = /^(?:ascending|descending)$/;

const hasAria = (el) => el.getAttributeNames().some((name) => name.startsWith('aria-'));
const nothing = () => null;

function statesOf(el, role, active) {
  const internal = hasInternalRole(el);
  if (
    !el.hasAttributes() &&
    !internal &&
    role !== 'summary' &&
    role !== 'option' &&
    el.tagName !== 'TEXTAREA'
  )
    return (
      (DISABLEABLE_TAGS.test(el.tagName) && isDisabled(el, role) ? ' disabled' : '') +
      focusOf(el, active)
    );
  let words = '';
  const is = internal || hasAria(el) ? (attribute) => ariaOf(el, attribute) : nothing;
  if (CHECKABLE_ROLES.test(role)) {
    const checked = el.tagName === 'INPUT' ? tickOf(el) : is('checked');
    if (checked === 'mixed') words += NEVER_MIXED.test(role) ? '' : ' checked=mixed';
    else if (checked === 'true') words += ' checked';
  }
  if (is('pressed') && is('pressed') !== 'false')
    words += is('pressed') === 'mixed' ? ' pressed=mixed' : ' pressed';
  if (is('selected') === 'true' || (role === 'option' && el.selected === true))
    words += ' selected';
  const open = role === 'summary' ? summaryStateOf(el) : (is('expanded') ?? popoverStateOf(el));
  if (open === 'true') words += ' expanded';
  else if (open === 'false') words += ' collapsed';
  else if (!FIELDS.has(role) && is('haspopup') && !UNSET.test(is('haspopup'))) words += ' haspopup';
  const current = is('current');
  if (current && !UNSET.test(current))
    words += CURRENT_OF.test(current) ? ` current=${current}` : ' current';
  if (is('disabled') === 'true' || isDisabled(el, role)) words += ' disabled';
  if (el.tagName === 'TEXTAREA' || is('multiline') === 'true') words += ' multiline';
  if (is('multiselectable') === 'true' || (el.tagName === 'SELECT' && el.multiple))
    words += ' multiselectable';
  if ((el.readOnly === true && FIELDS.has(role)) || is('readonly') === 'true') words += ' readonly';
  if (el.required === true || is('required') === 'true') words += ' required';
  if (is('invalid') && is('invalid') !== 'false')
    words += /^(?:grammar|spelling)$/.test(is('invalid'))
      ? ` invalid=${is('invalid')}`
      : ' invalid';
  else if (FIELDS.has(role) && isRejected(el)) words += ' invalid';
  if (SORTED.test(is('sort') ?? '')) words += ` sort=${is('sort')}`;
  if (is('busy') === 'true') words += ' busy';
  if ((role === 'dialog' || role === 'alertdialog') && isModal(el)) words += ' modal';
  if (MEDIA_TAGS.test(el.tagName)) words += mediaStateOf(el);
  return words + focusOf(el, active);
}

const mediaStateOf = (el) =>
  (el.ended ? ' ended' : el.paused ? ' paused' : ' playing') + (el.muted ? ' muted' : '');

const summaryStateOf = (el) => String((el.tagName === 'DETAILS' ? el : el.parentElement).open);

// Whether what a button opens is open; null for a button that opens nothing.
function popoverStateOf(el) {
  if (el.tagName !== 'BUTTON' && el.tagName !== 'INPUT') return null;
  const commanded = el.hasAttribute('commandfor') && /^(?:toggle|show)-popover$/.test(el.command);
  const target = commanded
    ? el.commandForElement
    : el.hasAttribute('popovertarget') && el.popoverTargetAction !== 'hide'
      ? el.popoverTargetElement
      : null;
  return target && !nodeContains(target, el) ? String(target.matches(':popover-open')) : null;
}

// Whether a native box or radio button is ticked, 'mixed' for half: what it says of itself counts where the page draws it
// and takes back what the click ticked.
function tickOf(input) {
  if (input.indeterminate) return 'mixed';
  const said = input.checked ? null : input.getAttribute('aria-checked');
  return said !== null && isInvisible(input, getComputedStyle(input))
    ? said
    : String(input.checked);
}

// Whether the browser would not accept what stands in a field; that nothing does yet is no fault.
const isRejected = (el) =>
  el.willValidate === true && !el.validity.valid && !el.validity.valueMissing;

// What something is said to be that holds for all in it that can be acted on.
const isDisabled = (el, role) =>
  (DISABLEABLE_TAGS.test(el.tagName) && el.matches(':disabled')) ||
  (WIDGETS.has(role) && hasDisabledMarks(rootNodeOf(el)) && isMarkedDisabled(el));
const hasDisabledMarks = oncePerTurn((root) => firstMatch(root, MARKED_DISABLED) !== null);
const isMarkedDisabled = (el) => closestMatch(el, MARKED_DISABLED) !== null;

function focusOf(el, active) {
  return el === active && el.tagName !== 'BODY' && el.tagName !== 'IFRAME' ? ' focused' : '';
}

// optionLists: of the selects that were told, by their words, if they are to be told once.
function detailOf(el, role, name, root, optionLists = null) {
  if (role === 'link') return signDescription(el, name) + targetOf(el, name, root === el);
  let words = '';
  if (
    FIELDS.has(role) ||
    role === 'listbox' ||
    role === 'meter' ||
    role === 'progressbar' ||
    role === 'scrollbar' ||
    (role === 'separator' && el.hasAttribute('aria-valuenow'))
  ) {
    const value = valueOf(el, role);
    const isLabel = value === name && !NATIVE_FIELD.test(el.tagName) && role === 'combobox';
    if (value && !isLabel) words += ` value=${quote(value)}`;
    else if (el.type === 'password' && el.value) words += ' filled';
    const hint = squeeze(el.placeholder || el.getAttribute('aria-placeholder') || '');
    if (hint && hint !== name) words += ` placeholder=${quote(hint)}`;
  }
  if (el.tagName === 'SELECT' || (el.tagName === 'INPUT' && el.list))
    words += nativeOptions(el, root, optionLists);
  const about = FIELDS.has(role)
    ? descriptionOf(el)
    : role !== 'button'
      ? ''
      : el.tagName === 'IMG'
        ? descriptionOf(el)
        : ariaDescriptionOf(el);
  if (!about) return role === 'button' ? words + signDescription(el, name) : words;
  const isTold = name.includes(about) || words.includes(` value=${quote(about)}`);
  return isTold ? words : `${words} description=${quote(about)}`;
}

// The tip of what has but a sign for a name.
function signDescription(el, name) {
  if (name === '' || SHORT_WORD.test(name) || !el.hasAttribute('title')) return '';
  const about = titleUnlessName(el);
  return about ? ` description=${quote(about)}` : '';
}

function valueOf(el, role) {
  if (el.tagName === 'INPUT') {
    if (el.type === 'password') return '';
    return el.type === 'file'
      ? [...el.files].map((file) => file.name).join(', ')
      : squeeze(el.value);
  }
  if (el.tagName === 'TEXTAREA') return shownLines(el.value);
  if (el.tagName === 'SELECT')
    return [...el.selectedOptions].map((option) => squeeze(option.text)).join(', ');
  if (el.tagName === 'METER' || el.tagName === 'PROGRESS')
    return el.position === -1 ? '' : String(el.value);
  const told = ariaOf(el, 'valuetext') || ariaOf(el, 'valuenow');
  if (told) return squeeze(told);
  if (role !== 'textbox' && role !== 'searchbox' && role !== 'combobox') return '';
  return shadowRootOf(el) !== null
    ? squeeze(visibleTextOf(el, MAX_SHADOW_VALUE))
    : shownLines(textWithoutLists(el, role));
}

// The text in an element, without the options of a list that it stands for or opens, what takes a value away, and its
// own label.
function textWithoutLists(el, role) {
  const lists = [...el.getElementsByTagName('select'), ...labelsInside(el)].filter((one) =>
    one.checkVisibility(),
  );
  const text = lists.reduce((rest, list) => rest.replace(list.innerText, ''), el.innerText || '');
  if (role !== 'combobox') return text.trim();
  const parts = [...allMatches(el, 'button, [role=listbox]')].filter((one) =>
    one.checkVisibility(),
  );
  return parts.reduce((rest, part) => rest.replace(part.innerText || ' ', ' '), text).trim();
}

// The labels of a control that stand in it; its value may be a part of its name, too.
const labelsInside = (el) =>
  isFilled(el, 'aria-labelledby')
    ? elementsByIds(el, 'aria-labelledby').filter(
        (one) =>
          one !== el &&
          nodeContains(el, one) &&
          /label/i.test(`${one.tagName} ${one.id} ${one.className}`),
      )
    : [];

// A text as its editor shows it; what is one line is told as one.
function shownLines(text) {
  if (!text.includes('\n')) return squeeze(text);
  return text
    .replaceAll('\r', '')
    .replaceAll('\u00a0', ' ')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n/, '')
    .trimEnd();
}

function nativeOptions(el, root, optionLists) {
  const all = el.tagName === 'SELECT' ? nativeOptionTexts(el) : suggestedValues(el.list);
  const shown = root === el ? all : firstOptions(all);
  const more = all.length - shown.length;
  const rest = more ? ` / … ${more} more, read_page with ref=e${refOf(el)} lists them` : '';
  const words = shown.join(' / ');
  const list = `${all.length} ${words}`;
  const first = root === el ? undefined : optionLists?.get(list);
  const table = closestMatch(el, GRID_SELECTOR);
  // In the rows of a table the lists of a column are the same.
  if (first) return table !== null && first.table === table ? '' : ` options: as e${first.ref}`;
  if (words.length > MIN_REPEATED_OPTIONS) optionLists?.set(list, { ref: refOf(el), table });
  return all.length ? ` options: ${words}${rest}` : '';
}

const nativeOptionTexts = (select) =>
  [...select.options]
    .filter((option) => getComputedStyle(option).display !== 'none')
    .map((option) => {
      const text = escapeOption(option.label || option.text);
      return option.matches(':disabled') ? `${text} (disabled)` : text;
    });

// What a field's datalist offers: disabled options are not shown.
const suggestedValues = (datalist) =>
  [...datalist.options]
    .filter((one) => one.value && !one.disabled)
    .map((one) => escapeOption(one.value));

// As many as are soon read; where only a few more are left, these, too.
function firstOptions(all) {
  let room = MAX_OPTION_CHARS;
  const fitting = all.findIndex(
    (text, at) => at === MAX_OPTIONS_SHOWN || ((room -= text.length) < 0 && at >= MIN_OPTIONS),
  );
  return fitting < 0 || (fitting < MAX_OPTIONS_SHOWN && all.length - fitting < MIN_OPTIONS)
    ? all
    : all.slice(0, fitting);
}

const escapeOption = (text) => squeeze(text).replace(/ \/ /g, ' \\/ ').replace(/\|/g, '\\|');

// A place in the page that a program has named.
const GENERATED_FRAGMENT = /^#(?=[a-z-]*\d)[\w-]*[0-9a-f]{12}$/i;

const MIN_LONG_FRAGMENT = 20; // characters
const lettersOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

// Whether a long fragment ends with the words of the link's name, and so says nothing more.
function repeatsWords(url, name) {
  if (url[0] !== '#' || url.length < MIN_LONG_FRAGMENT) return false;
  const letters = lettersOf(name);
  return letters.length > 2 && lettersOf(url).endsWith(letters);
}

// whole: with all of its query.
function targetOf(el, name, whole) {
  const address = addressOf(el);
  const url = whole ? address : withShortQuery(address);
  if (!url || url === '#' || /^javascript:/i.test(url)) return '';
  if (GENERATED_FRAGMENT.test(url) || (!whole && repeatsWords(url, name))) return ' → #…';
  if (url.startsWith('data:')) return ` → ${/^data:[^,;]{0,40}[^,]{0,40},?/.exec(url)[0]}…`;
  return ` → ${url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url}`;
}

// An address with as much of a long query as says what it asks for: signatures and campaigns stand behind.
function withShortQuery(url) {
  const from = url.length > MAX_QUERY ? url.indexOf('?') + 1 : 0;
  if (from === 0 || url.length - from <= MAX_QUERY) return url;
  const cut = url.lastIndexOf('&', from + MAX_QUERY) + 1;
  return `${url.slice(0, cut > from ? cut : from + MAX_QUERY)}…`;
}

// Where a link goes: relative to the page, in words that `navigate` takes, else without the document's origin.
function addressOf(el) {
  const known = originOf(documentOf(el));
  const { path, folder, above } = known;
  const address = resolvedAddress(el, known);
  if (!path) return address;
  if (address.startsWith(`${path}?`)) return address.slice(path.length);
  if (
    folder.length > 1 &&
    address.startsWith(folder) &&
    RELATIVE_PATH.test(address.slice(folder.length))
  )
    return `./${address.slice(folder.length)}`;
  if (
    above.length > 1 &&
    address.startsWith(above) &&
    RELATIVE_PATH.test(address.slice(above.length))
  )
    return `../${address.slice(above.length)}`;
  return address;
}

function resolvedAddress(el, { origin, rooted, page }) {
  const written = el.getAttribute('href') || '';
  if (written[0] === '#' && page) return written;
  // What needs no resolving: that would cost as much as the rest of the line.
  if (rooted && ROOT_RELATIVE.test(written) && !written.includes('/.') && !written.includes('//'))
    return written;
  const target = el.href;
  const href = typeof target === 'string' ? target : target?.baseVal || '';
  if (page && href.startsWith(`${page}#`)) return href.slice(page.length);
  return origin !== 'null' && href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
}

// The origin of a document, and whether its links are relative to it.
const originOf = oncePerTurn((doc) => {
  const origin = doc.location?.origin ?? 'null';
  const base = baseOf(doc);
  // page: its own address, if links are relative to it. path: where it stands, told above the outline.
  const page = base.split('#', 1)[0] === urlOf(doc).split('#', 1)[0] ? base.split('#', 1)[0] : '';
  const path =
    doc === document && window.parent === window && /^https?:/.test(page)
      ? new URL(page).pathname
      : '';
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const above = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  const rooted = /^https?:/.test(origin) && `${base}/`.startsWith(`${origin}/`);
  return { origin, path, folder, above, page, rooted };
});
