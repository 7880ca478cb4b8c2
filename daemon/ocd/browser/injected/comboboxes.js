// Controls that are no native select: a combobox, a listbox, a button with a list, and their options.

const OPTION = '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem]';
const LOADING_MS = 1500; // a list that has not changed for so long is all there is
let presentBefore = null; // what was on the page before the list opened
let foundOption = null;

const spoken = (el) => squeeze(el.getAttribute('aria-label') || el.innerText || contentIn(el) || '');

// custom: opens a list, or is one; combo: a field with a list of suggestions.
function customKind(control) {
  const role = roleOf(control);
  if (role === 'listbox') return 'custom';
  if (control.tagName === 'INPUT') {
    if (role !== 'combobox' || control.list) return '';
    return control.readOnly ? 'custom' : 'combo';
  }
  if (role === 'combobox') return control.isContentEditable ? 'combo' : 'custom';
  return control.getAttribute('aria-haspopup') === 'listbox' ? 'custom' : '';
}

function everySeen(el, selector) {
  const documents = new Set([document, ownerIn(el)]);
  const found = [];
  for (const scope of documents) found.push(...allMatches(scope, selector));
  for (let root = rootIn(el); hostOf(root); root = rootIn(hostOf(root))) found.push(...allMatches(root, selector));
  return found.filter(seenBox);
}

function popupsOf(el) {
  const ids = ['aria-controls', 'aria-owns'].flatMap((name) => (el.getAttribute(name) || '').split(/\s+/)).filter(Boolean);
  const root = rootIn(el);
  return ids.map((id) => byId(root, id) || byId(ownerIn(el), id)).filter(Boolean);
}

// The options that belong to the control: in its list, or else those that came when it was opened.
function choicesOf(el) {
  const scopes = roleOf(el) === 'listbox' ? [el] : popupsOf(el);
  const own = scopes.flatMap((scope) => [...allMatches(scope, OPTION)]).filter(seenBox);
  if (own.length || roleOf(el) === 'listbox') return own;
  return everySeen(el, OPTION).filter((one) => !presentBefore?.has(one) && !one.closest('select'));
}

// A list without roles: what came since the control was opened and says just that.
function plainOption(el, want) {
  const like = everySeen(el, 'li, div, span, a, button, td').filter((one) => !presentBefore?.has(one) && !el.contains(one) && low(spoken(one)) === want);
  return like[like.length - 1] || null;
}

const low = (text) => squeeze(text).toLowerCase();

function choiceFor(el, options, want) {
  return options.find((one) => low(spoken(one)) === want) || options.find((one) => low(one.getAttribute('data-value') || one.getAttribute('value') || '') === want)
    || plainOption(el, want) || options.find((one) => low(spoken(one)).split(/[\n·|–—(]/)[0].trim() === want);
}

// Before the control is opened: whether it shows its list already, and what is there.
function listState(el) {
  const control = controlOf(el);
  const open = roleOf(control) === 'listbox' || control.getAttribute('aria-expanded') === 'true';
  presentBefore = new WeakSet(open ? [] : everySeen(control, `${OPTION}, li, div, span, a, button, td`));
  return { open, multiple: control.getAttribute('aria-multiselectable') === 'true' };
}

function scrollerOf(options) {
  for (let at = options[0] && above(options[0]); at && at.tagName !== 'BODY'; at = above(at)) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return null;
}

// Waits for the option: lists are fetched, filtered and filled while one scrolls.
async function awaitOption(el, value, budget) {
  const control = controlOf(el);
  const want = low(value);
  const stop = performance.now() + budget;
  const seen = new Map();
  let last = performance.now();
  let before = '';
  for (;;) {
    const options = choicesOf(control);
    foundOption = choiceFor(control, options, want);
    const disabled = foundOption && disabledWhy(foundOption, false);
    const late = performance.now() >= stop || !scriptsRun();
    if (disabled === '') return { chosen: foundOption.getAttribute('aria-selected') === 'true' };
    if (disabled && late) return { why: 'not_enabled', text: `its option ${quote(value)}: ${disabled}` };
    for (const one of options) seen.set(spoken(one), true);
    const now = [...options].map(spoken).join('\n');
    if (now !== before) [before, last] = [now, performance.now()];
    const box = scrollerOf(options);
    if (box && box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
      box.scrollTop += Math.max(box.clientHeight * 0.8, 20);
      last = performance.now();
    }
    const complete = !disabled && options.length > 0 && performance.now() - last > LOADING_MS;
    if (late || complete) return { why: seen.size ? 'option_not_found' : 'no_options', text: value, options: [...seen.keys()].slice(0, 50), total: seen.size };
    await nextFrame();
  }
}

Object.assign(globalThis.openchrome, { listState, awaitOption, foundOption: () => foundOption });
