// The tasks, and one task: how far it is, how fast, what it said, and what may be done with it.

import { RateChart } from './chart.js';
import { call, get } from './connection.js';
import { action, duration, h, heading, notice, pill, time } from './dom.js';
import { PageTable } from './pages.js';

const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'];
const PAGE = 100;
const CRAWLS = ['crawl', 'crawl_sitemap'];
const FORMATS = {
  jsonl: 'JSON lines',
  csv: 'CSV',
  sqlite: 'SQLite',
  markdown: 'Markdown (zip)',
  'llms-txt': 'llms.txt',
};

function isOver(task) {
  return !['PENDING', 'RUNNING'].includes(task.status);
}

function subject(task) {
  try {
    const args = JSON.parse(task.args_summary);
    return String(args.url ?? args.urls?.[0] ?? args.plan_id ?? '');
  } catch {
    return '';
  }
}

function took(task) {
  if (!task.started_at) return '–';
  const end = task.ended_at ? new Date(task.ended_at) : new Date();
  return duration(end - new Date(task.started_at));
}

function progressBar(task) {
  const { done, total } = task.progress;
  const label = total
    ? `${done.toLocaleString()} of ${total.toLocaleString()}`
    : done.toLocaleString();
  const attributes = { max: total ?? 1, 'aria-label': `Progress of ${task.task_id}` };
  if (total || isOver(task)) attributes.value = total ? done : Number(isOver(task));
  return h('span', { class: 'progress' }, h('progress', attributes), h('span', {}, label));
}

export function statusPill(status) {
  return pill(status.toLowerCase(), status.toLowerCase());
}

export async function tasksView(app) {
  const list = new TaskList(app, await tasksBefore());
  return {
    title: 'Tasks',
    node: list.node,
    onMessage: (message) => list.update(message.tasks ?? []),
  };
}

async function tasksBefore(time) {
  const { tasks } = await call('oc_task_list', {
    limit: PAGE,
    all: true,
    ...(time && { before: time }),
  });
  return tasks;
}

class TaskList {
  constructor(app, tasks) {
    this.app = app;
    this.tasks = new Map(tasks.map((task) => [task.task_id, task]));
    this.rows = new Map();
    this.status = h(
      'select',
      { id: 'status', onchange: () => this.draw() },
      h('option', { value: '' }, 'All'),
      STATUSES.map((status) => h('option', { value: status }, status.toLowerCase())),
    );
    this.words = h('input', { id: 'words', type: 'search', oninput: () => this.draw() });
    this.body = h('tbody');
    this.empty = h('div');
    this.more = action('Older tasks', () => this.addOlder());
    this.more.hidden = tasks.length < PAGE;
    this.node = [
      heading('Tasks'),
      app.viewer.control ? startForm(app) : null,
      h(
        'form',
        { class: 'filters', role: 'search', onsubmit: (event) => event.preventDefault() },
        h('label', { for: 'status' }, 'Status'),
        this.status,
        h('label', { for: 'words' }, 'Filter'),
        this.words,
      ),
      h(
        'table',
        { class: 'rows tasks' },
        h('caption', { class: 'unseen' }, 'Tasks, newest first'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['Status', 'Task', 'Progress', 'Created', 'Took'].map((name) =>
              h('th', { scope: 'col' }, name),
            ),
          ),
        ),
        this.body,
      ),
      this.empty,
      this.more,
    ].filter(Boolean);
    this.draw();
  }

  update(tasks) {
    if (!tasks.length) return;
    const isNew = tasks.some((task) => !this.tasks.has(task.task_id));
    for (const task of tasks) this.tasks.set(task.task_id, task);
    for (const task of tasks) this.rows.get(task.task_id)?.show(task);
    if (isNew) this.draw();
  }

  async addOlder() {
    const oldest = [...this.tasks.values()].map((task) => task.created_at).sort()[0];
    const older = await tasksBefore(oldest);
    for (const task of older) this.tasks.set(task.task_id, task);
    this.more.hidden = older.length < PAGE;
    this.draw();
  }

  draw() {
    const words = this.words.value.toLowerCase();
    const matches = (task) =>
      (!this.status.value || task.status === this.status.value) &&
      `${task.kind} ${task.task_id} ${subject(task)} ${task.session}`.toLowerCase().includes(words);
    const tasks = [...this.tasks.values()]
      .filter(matches)
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
    this.body.replaceChildren(...tasks.map((task) => this.rowOf(task).node));
    this.body.parentElement.hidden = !tasks.length;
    this.empty.replaceChildren(...(tasks.length ? [] : [this.nothing()]));
  }

  nothing() {
    if (this.tasks.size) return notice('No task matches', 'Change the filter to see the others.');
    return notice(
      'No tasks yet',
      'Crawls, batches and plans that run in the background appear here.',
      h('pre', {}, 'oc task start crawl --url https://example.com --max-pages 20'),
    );
  }

  rowOf(task) {
    if (!this.rows.has(task.task_id)) this.rows.set(task.task_id, new TaskRow(task));
    return this.rows.get(task.task_id);
  }
}

// Its link stays the same element: somebody may be about to click it.
class TaskRow {
  constructor(task) {
    this.status = h('td', { 'data-label': 'Status' });
    this.progress = h('td', { 'data-label': 'Progress' });
    this.took = h('td', { 'data-label': 'Took' });
    this.node = h(
      'tr',
      {},
      this.status,
      h(
        'td',
        { class: 'name' },
        h('a', { href: `/task/${task.task_id}` }, task.kind, ' ', h('code', {}, task.task_id)),
        h('span', { class: 'quiet cut' }, subject(task)),
      ),
      this.progress,
      h('td', { 'data-label': 'Created' }, time(task.created_at)),
      this.took,
    );
    this.show(task);
  }

  show(task) {
    this.status.replaceChildren(statusPill(task.status));
    this.progress.replaceChildren(progressBar(task));
    this.took.replaceChildren(took(task));
  }
}

function startForm(app) {
  const url = h('input', { id: 'url', type: 'url', required: true, placeholder: 'https://' });
  const pages = h('input', { id: 'pages', type: 'number', min: '1', max: '100000', value: '20' });
  const told = h('p', { role: 'status', class: 'told' });
  const start = async (event) => {
    event.preventDefault();
    told.textContent = 'Starting…';
    try {
      const args = { url: url.value, max_pages: Number(pages.value) };
      const task = await call('oc_task_start', { kind: 'crawl', args });
      app.go(`/task/${task.task_id}`);
    } catch (error) {
      told.textContent = error.message;
    }
  };
  return h(
    'details',
    { class: 'card' },
    h('summary', {}, 'Start a crawl'),
    h(
      'form',
      { class: 'filters', onsubmit: start },
      h('label', { for: 'url' }, 'Address'),
      url,
      h('label', { for: 'pages' }, 'Maximum pages'),
      pages,
      h('button', { class: 'main' }, 'Start'),
      told,
    ),
  );
}

export async function taskView(app, id) {
  const [{ meta }, history] = await Promise.all([
    call('oc_task_get', { task_id: id }),
    get(`/api/task/${encodeURIComponent(id)}/history`),
  ]);
  const detail = new TaskDetail(app, meta, history);
  return {
    title: `${meta.kind} ${id}`,
    node: detail.node,
    onMessage: (message) => detail.update(message.tasks?.find((task) => task.task_id === id)),
    close: () => clearInterval(detail.ticking),
  };
}

class TaskDetail {
  constructor(app, task, history) {
    this.app = app;
    this.task = task;
    this.head = h('div');
    this.facts = h('dl', { class: 'facts' });
    this.problem = h('div');
    this.chart = new RateChart(history.rate, task.progress.done);
    this.events = h('ol', { class: 'events' });
    this.pages = new PageTable(task.task_id);
    this.node = [
      this.head,
      this.problem,
      this.facts,
      h('section', {}, h('h2', {}, 'Pages a second'), this.chart.node),
      this.pages.node,
      h(
        'section',
        {},
        h('h2', {}, 'Parameters'),
        h('pre', { tabindex: '0' }, pretty(task.args_summary)),
      ),
      h('details', { class: 'card' }, h('summary', {}, 'Events'), this.events),
    ];
    this.ticking = setInterval(() => this.tick(), 1000);
    this.drawEvents(history.events);
    this.draw();
    this.pages.reload();
  }

  tick() {
    if (isOver(this.task)) return;
    this.draw();
    if (this.task.progress.done !== this.read) this.pages.reload();
    this.read = this.task.progress.done;
  }

  update(task) {
    if (!task) return;
    const ended = !isOver(this.task) && isOver(task);
    const begun = this.task.status !== task.status;
    this.task = task;
    this.chart.note(task.progress.done);
    this.draw();
    if (begun || ended) this.reloadEvents();
    if (ended) this.pages.reload();
  }

  async reloadEvents() {
    const path = `/api/task/${encodeURIComponent(this.task.task_id)}/history`;
    const history = await get(path).catch(() => null);
    if (history) this.drawEvents(history.events);
  }

  draw() {
    const { task } = this;
    const buttons = this.buttons();
    if (this.shown !== task.status) {
      this.shown = task.status;
      this.head.replaceChildren(
        heading(task.kind, statusPill(task.status), h('span', { class: 'actions' }, buttons)),
      );
    }
    const { error } = task;
    this.problem.replaceChildren(
      ...(error
        ? [h('div', { class: 'notice bad' }, h('h2', {}, error.code), h('p', {}, error.message))]
        : []),
    );
    const facts = this.listFacts();
    const text = facts.map(([name, value]) => name + (value.textContent ?? value)).join();
    if (text === this.factsShown) return;
    this.factsShown = text;
    this.facts.replaceChildren(
      ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
    );
  }

  listFacts() {
    const { task } = this;
    const figures = task.progress.figures;
    const failed = Object.entries(figures?.failures ?? {});
    const facts = [
      ['Progress', progressBar(task)],
      ['Took', took(task)],
      ['Created', time(task.created_at)],
      ['Session', task.session],
      ['Task', h('code', {}, task.task_id)],
    ];
    if (task.progress.message && !isOver(task)) facts.push(['Now', task.progress.message]);
    if (figures && !isOver(task)) facts.push(['Waiting', figures.queued.toLocaleString()]);
    if (figures && !isOver(task))
      facts.push(['Speed', `${figures.pages_per_s.toFixed(1)} pages/s`]);
    if (failed.length) facts.push(['Failed', failed.map(([code, n]) => `${n} ${code}`).join(', ')]);
    if (task.resumed_from) {
      facts.push([
        'Goes on with',
        h('a', { href: `/task/${task.resumed_from}` }, task.resumed_from),
      ]);
    }
    return facts;
  }

  buttons() {
    const { task, app } = this;
    const shown = [];
    if (isOver(task) && task.result_path) {
      if (CRAWLS.includes(task.kind)) shown.push(exports(task.task_id));
      shown.push(action('Open the result', () => this.openResult()));
    }
    if (!app.viewer.control) return shown;
    if (!isOver(task)) {
      const cancel = () => call('oc_task_cancel', { task_id: task.task_id });
      shown.push(action('Cancel', cancel, { class: 'bad' }));
    } else if (task.status !== 'COMPLETED') {
      shown.push(
        action('Resume', async () => {
          const next = await call('oc_task_resume', { task_id: task.task_id });
          app.go(`/task/${next.task_id}`);
        }),
      );
    }
    return shown;
  }

  async openResult() {
    const stored = await call('oc_task_get', {
      task_id: this.task.task_id,
      include_result: true,
      output_mode: 'handle',
    });
    this.app.go(`/output/${stored.output_handle}`);
  }

  drawEvents(events) {
    const rows = [...events]
      .reverse()
      .map((event) =>
        h(
          'li',
          {},
          time(event.ts),
          ' ',
          h('strong', {}, event.kind.replaceAll('_', ' ')),
          ' ',
          h('span', { class: 'quiet' }, event.data ? JSON.stringify(event.data) : ''),
        ),
      );
    this.events.replaceChildren(...rows);
  }
}

function exports(id) {
  return h(
    'details',
    { class: 'menu' },
    h('summary', { class: 'button' }, 'Export'),
    h(
      'ul',
      {},
      Object.entries(FORMATS).map(([format, name]) =>
        h('li', {}, h('a', { href: `/api/task/${id}/export/${format}`, download: '' }, name)),
      ),
    ),
  );
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
