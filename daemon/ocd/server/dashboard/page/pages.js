// The pages of a task as a table: of one that runs the newest ones as they come, of one that has
// ended all of them, from the first one on.

import { get } from './connection.js';
import { action, bytes, duration, failure, h, pill } from './dom.js';

const MAX_ROWS = 500;

export class PageTable {
  constructor(taskId) {
    this.path = `/api/task/${encodeURIComponent(taskId)}/pages`;
    this.rows = h('tbody');
    this.table = h(
      'table',
      { class: 'rows pages' },
      h('caption', { class: 'unseen' }, 'Pages of the task'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['Page', 'Status', 'Depth', 'Size', 'Took'].map((name) =>
            h('th', { scope: 'col' }, name),
          ),
        ),
      ),
      this.rows,
    );
    this.more = h(
      'p',
      { hidden: true },
      action('Show more', () => this.load()),
    );
    this.problem = h('div');
    this.node = h(
      'section',
      { hidden: true },
      h('h2', {}, 'Pages'),
      this.problem,
      this.table,
      this.more,
    );
    this.restart();
  }

  restart() {
    this.after = null;
    this.isEnded = false;
    this.rows.replaceChildren();
  }

  // Read what has come since; all at once if several ask.
  async reload() {
    if (this.reading) return;
    this.reading = true;
    try {
      await this.load();
      this.problem.replaceChildren();
    } catch (error) {
      this.problem.replaceChildren(failure(error));
    } finally {
      this.reading = false;
    }
  }

  async load() {
    const found = await get(this.after === null ? this.path : `${this.path}?after=${this.after}`);
    if (found.ended && !this.isEnded && this.after !== null) {
      // Until now it counted what the running task had written.
      this.restart();
      await this.load();
      return;
    }
    this.isEnded = found.ended;
    this.after = found.after;
    this.draw(found.pages);
    this.more.hidden = !found.ended || found.pages.length < found.limit;
  }

  draw(pages) {
    const added = pages.filter((page) => page.url).map(pageRow);
    if (this.isEnded) this.rows.append(...added);
    else this.rows.prepend(...added.reverse());
    while (!this.isEnded && this.rows.childElementCount > MAX_ROWS)
      this.rows.lastElementChild.remove();
    this.node.hidden = !this.rows.childElementCount;
  }
}

function pageRow({ url, title, status, error, depth, size, duration_ms: took }) {
  const outcome = error ? pill(error.code ?? 'failed', 'failed') : String(status ?? '–');
  return h(
    'tr',
    {},
    h(
      'td',
      { class: 'name' },
      h('span', { class: 'cut title' }, title || url),
      h('span', { class: 'quiet cut' }, url),
    ),
    h('td', { 'data-label': 'Status' }, outcome),
    h('td', { 'data-label': 'Depth' }, String(depth ?? '–')),
    h('td', { 'data-label': 'Size' }, typeof size === 'number' ? bytes(size) : '–'),
    h('td', { 'data-label': 'Took' }, duration(took)),
  );
}
