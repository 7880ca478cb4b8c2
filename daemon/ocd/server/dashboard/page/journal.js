// The journal: calls and events, newest first, as they come, with filters.

import { call } from './connection.js';
import { duration, h, heading, notice, pill, time } from './dom.js';

const READ = 500;
const MAX_ROWS = 1000;

export async function journalView() {
  const entries = await call('oc_journal', { action: 'recent', count: READ });
  const list = new JournalList(entries.filter(isWorthShowing).reverse());
  return {
    title: 'Journal',
    node: list.node,
    onMessage: (message) => list.add(message.entries ?? []),
  };
}

// What this page itself reads is there only because it is open.
function isWorthShowing(entry) {
  const isOwn = entry.event === 'tool_call' && entry.client === 'dashboard';
  return !(isOwn && /_(?:list|get|fetch|search|journal)$/.test(entry.tool));
}

class JournalList {
  constructor(entries) {
    this.entries = entries;
    const redraw = () => this.draw();
    this.words = h('input', { id: 'words', type: 'search', oninput: redraw });
    this.session = h('select', { id: 'session', onchange: redraw });
    this.kind = h(
      'select',
      { id: 'kind', onchange: redraw },
      [
        ['', 'Everything'],
        ['calls', 'Calls'],
        ['failed', 'Failed calls'],
        ['events', 'Events'],
      ].map(([value, name]) => h('option', { value }, name)),
    );
    this.count = h('span', { class: 'quiet', role: 'status' });
    this.rows = h('ol', { class: 'entries' });
    this.node = [
      heading('Journal', this.count),
      h(
        'form',
        { class: 'filters', role: 'search', onsubmit: (event) => event.preventDefault() },
        h('label', { for: 'kind' }, 'Show'),
        this.kind,
        h('label', { for: 'session' }, 'Session'),
        this.session,
        h('label', { for: 'words' }, 'Filter'),
        this.words,
      ),
      this.rows,
    ];
    this.draw();
  }

  add(entries) {
    if (!entries.length) return;
    const newest = [...entries].reverse();
    this.entries = [...newest, ...this.entries].slice(0, MAX_ROWS);
    this.drawSessions();
    const found = newest.filter((entry) => this.matches(entry));
    if (found.length && !this.shown) this.rows.replaceChildren();
    this.rows.prepend(...found.map(entryRow));
    while (this.rows.childElementCount > MAX_ROWS) this.rows.lastElementChild.remove();
    this.say(this.shown + found.length);
  }

  say(count) {
    this.shown = count;
    this.count.textContent = count === 1 ? '1 entry' : `${count.toLocaleString()} entries`;
  }

  matches(entry) {
    const isCall = entry.event === 'tool_call';
    const kind = this.kind.value;
    if (kind === 'events' && isCall) return false;
    if (kind === 'calls' && !isCall) return false;
    if (kind === 'failed' && !(isCall && !entry.ok)) return false;
    if (this.session.value && entry.session !== this.session.value) return false;
    return JSON.stringify(entry).toLowerCase().includes(this.words.value.toLowerCase());
  }

  draw() {
    this.drawSessions();
    const found = this.entries.filter((entry) => this.matches(entry));
    this.say(found.length);
    const rows = found.length
      ? found.map(entryRow)
      : [h('li', {}, notice('Nothing to show', 'Calls and events appear here as they happen.'))];
    this.rows.replaceChildren(...rows);
  }

  drawSessions() {
    const chosen = this.session.value;
    const names = [...new Set(this.entries.map((entry) => entry.session).filter(Boolean))].sort();
    this.session.replaceChildren(
      h('option', { value: '' }, 'All'),
      ...names.map((name) => h('option', { value: name }, name)),
    );
    this.session.value = names.includes(chosen) ? chosen : '';
  }
}

function place(entry) {
  if (!entry.tab_id) return h('span', { class: 'quiet' }, entry.session ?? '');
  const href = `/tab/${encodeURIComponent(entry.session)}/${encodeURIComponent(entry.tab_id)}`;
  return h('a', { href }, `${entry.session} ${entry.tab_id}`);
}

const SUBJECTS = [
  'query',
  'ref',
  'selector',
  'url',
  'text',
  'key',
  'instruction',
  'value',
  'kind',
  'action',
  'code',
  'name',
];

// What a call was about, in its own words.
function subject({ args, handle }) {
  const name = SUBJECTS.find((one) => typeof args?.[one] === 'string' && args[one]);
  return name ? args[name] : (handle ?? '');
}

export function entryRow(entry) {
  const isCall = entry.event === 'tool_call';
  const outcome = !isCall
    ? pill('event', 'pending')
    : entry.ok
      ? pill('ok', 'completed')
      : pill(entry.error ?? 'failed', 'failed');
  const {
    event,
    ts,
    tool,
    session,
    client,
    tab_id,
    duration_ms,
    ok,
    error,
    call_id,
    args,
    ...rest
  } = entry;
  const more = isCall ? args : rest;
  return h(
    'li',
    { class: 'entry' },
    h(
      'details',
      {},
      h(
        'summary',
        {},
        time(ts),
        h('strong', {}, isCall ? tool : event.replaceAll('_', ' ')),
        h('span', { class: 'quiet cut' }, subject(entry)),
        outcome,
        h('span', { class: 'took' }, isCall ? duration(duration_ms) : ''),
      ),
      h(
        'div',
        { class: 'more' },
        place(entry),
        ' ',
        h('span', { class: 'quiet' }, client ?? ''),
        h('pre', { tabindex: '0' }, JSON.stringify(more ?? {}, null, 2)),
      ),
    ),
  );
}
