// The tabs of all sessions, and one of them large: as it looks now, and what was done in it.

import { ApprovalList } from './approvals.js';
import { call, get } from './connection.js';
import { Control } from './control.js';
import { bytes, duration, failure, h, heading, notice, pill, tabPath, time } from './dom.js';
import { entryRow } from './journal.js';

const TABS_MS = 3000;
const FEED = 100;
const NEWLINE = 10;
const MARK_MS = 4000;
const READ = 500;

export async function liveView(app, session, tabId) {
  const [{ tabs }, { approvals }, entries] = await Promise.all([
    get('/api/tabs'),
    get('/api/approvals'),
    call('oc_journal', { action: 'recent', count: READ }),
  ]);
  const shown =
    tabs.find((tab) => tab.session === session && tab.tab_id === tabId) ??
    (session ? { session, tab_id: tabId, title: tabId, url: '' } : tabs.at(-1));
  const live = new Live(app, { tabs, approvals, shown });
  live.addEntries(entries);
  return {
    title: shown ? shown.title || shown.tab_id : 'Live',
    node: live.node,
    onMessage: (message) => live.onMessage(message),
    onFrame: (frame) => live.screen?.draw(frame),
    isHolding: () => Boolean(live.control?.key),
    close: () => live.close(),
  };
}

function isSame(a, b) {
  return a && b && a.session === b.session && a.tab_id === b.tab_id;
}

class Live {
  constructor(app, { tabs, approvals, shown }) {
    this.app = app;
    this.tabs = tabs;
    this.leases = app.leases;
    this.shown = shown;
    this.calls = new Set();
    this.thumbnails = new Map();
    this.strip = h('nav', { class: 'strip', 'aria-label': 'Open tabs' });
    this.node = [heading('Live'), this.strip];
    if (shown) {
      this.screen = new Screen(shown);
      this.control = new Control(app, shown, this.screen);
      this.control.onMessage({ leases: this.leases });
      this.questions = new ApprovalList(app, {
        approvals,
        isShown: (one) => isSame(one, shown),
        onDone: () => this.control.giveBack(),
      });
      this.feed = h('ol', { class: 'entries' });
      this.nothing = h('p', { class: 'quiet' }, 'Calls on this tab appear here when they finish.');
      this.log = new TabLog(shown);
      this.node.push(
        this.questions.items,
        h(
          'div',
          { class: 'live' },
          h('div', {}, this.control.node, this.screen.node),
          h(
            'section',
            { class: 'feed', 'aria-label': 'Calls' },
            h('h2', {}, 'Calls'),
            this.nothing,
            this.feed,
          ),
        ),
        this.log.node,
      );
      this.wish = { watch: { session: shown.session, tab_id: shown.tab_id } };
      app.connection.wish('watch', this.wish);
    } else {
      this.node.push(
        notice(
          'No tab is open',
          'Tabs that agents open appear here.',
          h('pre', {}, 'oc open https://example.com'),
        ),
      );
    }
    this.drawTabs();
    this.polling = setInterval(() => document.hidden || this.reload(), TABS_MS);
  }

  onMessage(message) {
    if (message.tab_error && this.screen) this.screen.fail(message.tab_error);
    this.control?.onMessage(message);
    if (message.marks) this.screen?.mark(message.marks);
    if (message.approvals) this.questions?.draw(message.approvals);
    if (message.leases) {
      this.leases = message.leases;
      this.drawTabs();
    }
    if (this.addEntries(message.entries ?? [])) this.reload();
  }

  // Return whether there were new ones about the shown tab.
  addEntries(entries) {
    const isNew = (entry) => isSame(entry, this.shown) && !this.calls.has(entry.call_id ?? entry);
    const added = entries.filter(isNew).slice(-FEED);
    if (!added.length) return false;
    this.nothing.hidden = true;
    for (const entry of added) {
      this.calls.add(entry.call_id ?? entry);
      this.feed.prepend(entryRow(entry));
    }
    while (this.feed.childElementCount > FEED) this.feed.lastElementChild.remove();
    return true;
  }

  async reload() {
    if (this.reloading) return;
    this.reloading = true;
    try {
      const { tabs } = await get('/api/tabs');
      if (!this.shown && tabs.length) this.app.go(tabPath(tabs.at(-1)));
      this.tabs = tabs;
      this.drawTabs();
      await this.log?.reload();
    } catch {
      // The line at the top says that the connection is lost.
    } finally {
      this.reloading = false;
    }
  }

  drawTabs() {
    const { tabs, leases } = this;
    const now = tabs.find((tab) => isSame(tab, this.shown));
    if (now) this.screen.name(now);
    const text = JSON.stringify([tabs, leases]);
    if (text === this.tabsShown) return;
    this.tabsShown = text;
    const sessions = groups(tabs);
    this.strip.replaceChildren(
      ...[...sessions].map(([name, own]) =>
        h(
          'section',
          {},
          h('h2', {}, name),
          h(
            'ul',
            {},
            own.map((tab) => this.tabLink(tab)),
          ),
        ),
      ),
    );
  }

  tabLink(tab) {
    const current = isSame(tab, this.shown) ? 'page' : undefined;
    const lease = this.leases.find((one) => isSame(one, tab));
    const mark = tab.crashed
      ? pill('crashed', 'failed')
      : tab.dialog !== null
        ? pill('dialog', 'running')
        : null;
    return h(
      'li',
      {},
      h(
        'a',
        { href: tabPath(tab), 'aria-current': current },
        this.thumbnail(tab),
        h('span', { class: 'cut title' }, tab.title || 'Untitled'),
        h('span', { class: 'cut quiet' }, `${tab.tab_id} · ${tab.url}`),
        mark,
        lease ? pill(`held by ${lease.holder}`, 'running') : null,
      ),
    );
  }

  // A picture is asked for again only when a call was made on its tab, or it is elsewhere.
  thumbnail(tab) {
    const path = `/api${tabPath(tab)}/picture`;
    if (!this.thumbnails.has(path)) {
      const image = h('img', {
        class: 'thumb',
        alt: '',
        loading: 'lazy',
        onerror: () => image.removeAttribute('src'),
      });
      this.thumbnails.set(path, image);
    }
    const image = this.thumbnails.get(path);
    const state = JSON.stringify([tab.url, tab.title, tab.used_at]);
    if (image.dataset.state !== state && !tab.crashed && tab.dialog === null) {
      image.dataset.state = state;
      image.src = `${path}?at=${encodeURIComponent(tab.used_at ?? '')}`;
    }
    return image;
  }

  close() {
    clearInterval(this.polling);
    const { connection } = this.app;
    if (connection.wishes.get('watch') === this.wish) connection.wish('watch', { watch: null });
    this.control?.close();
    this.screen?.close();
  }
}

function groups(tabs) {
  const found = new Map();
  for (const tab of tabs) found.set(tab.session, [...(found.get(tab.session) ?? []), tab]);
  return found;
}

// The picture of a tab. Only the newest frame is decoded; those that came meanwhile are dropped.
class Screen {
  constructor(tab) {
    this.canvas = h('canvas', {
      role: 'img',
      'aria-label': `The page in ${tab.tab_id}`,
      width: 640,
      height: 400,
    });
    this.address = h('p', { class: 'address cut' });
    this.told = h('p', { class: 'quiet over', role: 'status' }, 'Waiting for the first picture…');
    this.size = { width: 640, height: 400, top: 0 };
    this.outline = h('div', { class: 'outline', hidden: true });
    this.pointer = h('div', { class: 'pointer', hidden: true });
    this.picture = h('div', { class: 'picture' }, this.canvas, this.outline, this.pointer);
    this.node = h(
      'section',
      { class: 'screen', 'aria-label': 'The page' },
      this.address,
      h('div', { class: 'stage' }, this.picture, this.told),
    );
    this.name(tab);
  }

  name(tab) {
    this.canvas.setAttribute(
      'aria-label',
      `The page ${tab.title || tab.url || tab.tab_id} as it looks now`,
    );
    this.address.textContent = tab.url || 'about:blank';
    if (tab.dialog) this.say(`The page shows a dialog: ${tab.dialog}`);
    else if (this.dialog) this.say('');
    this.dialog = tab.dialog;
  }

  // What it has failed with stays: a picture that came before may be drawn after.
  say(text) {
    this.told.textContent = this.failure ?? text;
    this.told.hidden = !this.told.textContent;
  }

  fail(error) {
    this.failure = error.message;
    this.say('');
    this.node.classList.add('over');
  }

  async draw(data) {
    this.next = data;
    if (this.busy) return;
    this.busy = true;
    while (this.next && !this.isClosed) {
      const frame = this.next;
      this.next = null;
      await this.paint(frame);
    }
    this.busy = false;
  }

  async paint(data) {
    const end = new Uint8Array(data, 0, Math.min(300, data.byteLength)).indexOf(NEWLINE);
    this.size = JSON.parse(new TextDecoder().decode(data.slice(0, end)));
    const image = await createImageBitmap(new Blob([data.slice(end + 1)], { type: 'image/jpeg' }));
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
    }
    this.canvas.getContext('2d').drawImage(image, 0, 0);
    image.close();
    this.canvas.dataset.frames = Number(this.canvas.dataset.frames ?? 0) + 1;
    if (!this.dialog) this.say('');
  }

  // Where an agent acts: the element's box and the mouse, in CSS pixels of the page's viewport.
  mark({ box, mouse }) {
    if (box) this.put(this.outline, box);
    if (mouse) this.put(this.pointer, mouse);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => {
      this.outline.hidden = this.pointer.hidden = true;
    }, MARK_MS);
  }

  put(mark, [x, y, width, height]) {
    const share = (length, whole) => `${(length / whole) * 100}%`;
    mark.style.left = share(x, this.size.width);
    mark.style.top = share(y + this.size.top, this.size.height);
    if (width) mark.style.width = share(width, this.size.width);
    if (height) mark.style.height = share(height, this.size.height);
    mark.hidden = false;
    mark.dataset.at = [x, y, width, height]
      .filter((length) => length !== undefined)
      .map(Math.round);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.fading);
  }
}

// The console and the requests of a tab, read while they are open.
class TabLog {
  constructor(tab) {
    this.path = `/api/tab/${encodeURIComponent(tab.session)}/${encodeURIComponent(tab.tab_id)}/log`;
    this.console = h('ol', { class: 'events' });
    this.requests = h('tbody');
    this.problem = h('div');
    const reload = () => this.reload();
    this.node = h(
      'div',
      { class: 'logs' },
      h('details', { class: 'card', ontoggle: reload }, h('summary', {}, 'Console'), this.console),
      h(
        'details',
        { class: 'card', ontoggle: reload },
        h('summary', {}, 'Requests'),
        h(
          'table',
          { class: 'log' },
          h('caption', { class: 'unseen' }, 'Requests, newest first'),
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              ['Request', 'Status', 'Size', 'Took'].map((name) => h('th', { scope: 'col' }, name)),
            ),
          ),
          this.requests,
        ),
      ),
      this.problem,
    );
  }

  async reload() {
    if (!this.node.querySelector('details[open]')) return;
    try {
      const log = await get(this.path);
      this.problem.replaceChildren();
      this.draw(log);
    } catch (error) {
      this.problem.replaceChildren(failure(error));
    }
  }

  draw(log) {
    const messages = log.console
      .reverse()
      .map((one) =>
        h(
          'li',
          {},
          time(one.ts),
          ' ',
          pill(one.type, one.type === 'error' ? 'failed' : 'pending'),
          ' ',
          one.text,
        ),
      );
    this.console.replaceChildren(
      ...(messages.length ? messages : [h('li', { class: 'quiet' }, 'Nothing yet.')]),
    );
    this.requests.replaceChildren(
      ...log.requests
        .reverse()
        .map((one) =>
          h(
            'tr',
            {},
            h('td', {}, `${one.method} ${one.url}`),
            h('td', {}, one.error ? pill(one.error, 'failed') : (one.status ?? '…')),
            h('td', {}, one.size === null ? '–' : bytes(one.size)),
            h('td', {}, duration(one.duration_ms)),
          ),
        ),
    );
  }
}
