// What changed on a page since an action began.

let watched = null;
const NOTED = new Set(('class style hidden open disabled checked selected value title href src aria-expanded aria-checked'
  + ' aria-selected aria-pressed aria-hidden aria-disabled aria-invalid aria-current aria-label aria-busy'
  + ' aria-valuenow readonly required').split(' '));
const MAX_RECORDS = 3000;

function watch(el) {
  watched?.stop();
  const state = { records: [], last: 0, over: false, title: document.title, popovers: new Map() };
  const take = (list) => {
    if (state.records.length < MAX_RECORDS) state.records.push(...list);
    else state.over = true;
    state.last = performance.now();
  };
  state.observer = new MutationObserver(take);
  state.take = take;
  const options = { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true };
  const roots = new Set([document, el.ownerDocument]);
  for (let at = el.getRootNode(); at?.host; at = at.host.getRootNode()) roots.add(at);
  // What is shown above the page by itself changes no node.
  const shown = (event) => {
    if (event.target.popover) state.popovers.set(event.target, event.oldState);
    state.last = performance.now();
  };
  for (const root of roots) {
    state.observer.observe(root, options);
    root.addEventListener('beforetoggle', shown, true);
  }
  state.stop = () => {
    state.observer.disconnect();
    for (const root of roots) root.removeEventListener('beforetoggle', shown, true);
  };
  watched = state;
}

// Resolves when what the action set off has come to rest, and tells the difference.
async function settle(el, { quiet, most, wait = 0, next, lines, value }) {
  const state = watched;
  if (!state) return null;
  const began = performance.now();
  if (scriptsRun()) await new Promise((resolve) => { setTimeout(resolve, 0); });
  let now = performance.now();
  while (scriptsRun() && (now - began < wait || (state.last && now - began < most && now - state.last < quiet))) {
    await nextFrame();
    now = performance.now();
  }
  const left = state.observer.takeRecords();
  if (left.length) state.take(left);
  state.stop();
  watched = null;
  if (el) acted(el);
  const title = window !== top || document.title === state.title ? null : document.title;
  return read(() => ({ ...delta(state, lines), title, busy: state.last > 0 && now - state.last < quiet, closing: window.closed, value: value && el ? stateOf(el) : null }), { next });
}

// Lines about what came, what went and what is different.
function delta(state, most) {
  const came = new Set();
  const gone = new Set();
  const passing = new Set(); // what was not there before, or stood in such
  const changed = new Map();
  for (const record of state.records) {
    if (record.type === 'childList') {
      const words = record.target.nodeName === 'TITLE'; // no part of what the page shows
      const within = passing.has(record.target) || inOther(record.target, passing);
      for (const node of record.addedNodes) {
        came.add(node);
        if (!gone.has(node)) passing.add(node);
      }
      for (const node of record.removedNodes) if (!words && !within && !passing.has(node)) gone.add(node);
    } else if (record.type === 'characterData') came.add(record.target);
    else if (NOTED.has(record.attributeName)) {
      const key = record.attributeName;
      const known = changed.get(record.target) || new Map();
      if (!known.has(key)) known.set(key, record.oldValue);
      changed.set(record.target, known);
    }
  }
  const added = addedLines([...came].filter((node) => node.isConnected), most);
  const removed = [...gone].filter((node) => !node.isConnected && !inOther(node, gone)).map(goneLine).filter(Boolean);
  const attributes = [...changed].flatMap(([el, known]) => (el.isConnected && !inOther(el, came) ? changeLines(el, known) : []));
  const shown = [...state.popovers].flatMap(([el, before]) => (el.isConnected ? popoverLines(el, before) : []));
  return { added: [...new Set(added)], removed: [...new Set(removed)], attributes: [...new Set([...shown, ...attributes])] };
}

function popoverLines(el, before) {
  const now = el.matches(':popover-open') ? 'open' : 'closed';
  if (now === before) return [];
  return [`${describe(el)} popover: ${before} → ${now}`, ...(now === 'open' ? outlined(el).slice(0, 5) : [])];
}

function inOther(node, nodes) {
  for (let at = node.parentNode; at; at = at.parentNode) if (nodes.has(at)) return true;
  return false;
}

function addedLines(nodes, most) {
  const all = new Set(nodes);
  const lines = [];
  for (const node of nodes) {
    if (lines.length > most) break;
    if (inOther(node, all)) continue;
    if (typeOf(node) === Node.ELEMENT_NODE) lines.push(...outlined(node));
    else if (typeOf(node) === Node.TEXT_NODE && node.parentElement && seenBox(node.parentElement) && node.data.trim()) {
      lines.push(`text: ${clip(squeeze(node.data))}`);
    }
  }
  return lines;
}

function outlined(el) {
  if (!el.parentElement && !el.getRootNode().host) return [];
  const it = new Outline({ filter: 'all' });
  const surround = viewAbove(el);
  for (let view = surround; view; view = view.above) {
    if (view.style.display === 'none' || view.style.opacity === '0') return [];
  }
  it.root = el;
  it.active = el.ownerDocument.activeElement;
  it.element(el, surround, 0, null);
  it.flush(0);
  return it.lines.filter(([, kind]) => kind !== FRAME).map(([, kind, text]) => clip(kind === TEXT ? `text: ${text}` : text, 200));
}

function goneLine(node) {
  const words = typeOf(node) === Node.COMMENT_NODE ? '' : node.tagName === 'TR' ? [...node.children].map(contentIn).join(' ') : contentIn(node);
  const text = clip(squeeze((words || '').slice(0, 400)), 100);
  if (typeOf(node) !== Node.ELEMENT_NODE) return text && `text: ${text}`;
  if (NEVER.has(node.tagName)) return '';
  const role = roleOf(node) || node.tagName.toLowerCase();
  const said = node.getAttribute('aria-label') || text;
  return said ? `${role} ${quote(said)}` : role;
}

function changeLines(el, known) {
  if (NEVER.has(el.tagName)) return [];
  const lines = [];
  for (const [name, before] of known) {
    const after = el.getAttribute(name);
    if (before === after || (name === 'value' && el.type === 'password')) continue;
    const shown = (value) => (value === null ? 'none' : quote(clip(value, 60)));
    lines.push(`${describe(el)} ${name}: ${shown(before)} → ${shown(after)}`);
    const opened = { hidden: after === null, open: after !== null, class: true, style: /none|hidden|opacity/.test(before || '') }[name]
      || (name === 'aria-hidden' && before === 'true');
    if (opened && seenBox(el) && el.childElementCount && el.querySelectorAll('*').length < 60) lines.push(...outlined(el).slice(0, 5));
  }
  return lines;
}
