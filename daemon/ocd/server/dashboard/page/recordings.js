// Recordings: the list of them, and one as a film strip of what was done, which plays.

import { call, get } from './connection.js';
import { duration, h, heading, notice, pill, plural, time } from './dom.js';

const STEP_MS = 1200;

export async function recordingsView() {
  const { recordings } = await call('oc_recording_list');
  const node = [
    heading('Recordings', h('span', { class: 'quiet' }, plural(recordings.length, 'recording'))),
  ];
  node.push(
    recordings.length
      ? recordingTable(recordings)
      : notice(
          'No recordings yet',
          'Actions during a recording appear here, step by step.',
          h('pre', {}, 'oc recording start --name order'),
        ),
  );
  return { title: 'Recordings', node };
}

function recordingTable(recordings) {
  return h(
    'table',
    { class: 'rows' },
    h('caption', { class: 'unseen' }, 'Recordings, newest first'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Recording', 'State', 'Session', 'Actions', 'Begun'].map((name) =>
          h('th', { scope: 'col' }, name),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      recordings.map((one) =>
        h(
          'tr',
          {},
          h(
            'td',
            { class: 'name' },
            h('a', { href: `/recording/${one.recording_id}` }, one.name || one.recording_id),
          ),
          h(
            'td',
            { 'data-label': 'State' },
            pill(one.status, one.status === 'active' ? 'running' : 'pending'),
          ),
          h('td', { 'data-label': 'Session' }, one.session),
          h('td', { 'data-label': 'Actions' }, String(one.action_count)),
          h('td', { 'data-label': 'Begun' }, time(one.started_at)),
        ),
      ),
    ),
  );
}

export async function recordingView(app, id) {
  const { recording, actions } = await get(`/api/recording/${encodeURIComponent(id)}`);
  const title = recording.name || id;
  const head = heading(title, h('span', { class: 'quiet' }, plural(actions.length, 'action')));
  if (!actions.length)
    return { title, node: [head, notice('No actions yet', 'Actions appear when they finish.')] };
  const film = recording.has_film ? new Film(id, actions) : new Stills(id, actions);
  return { title, node: [head, film.node], close: () => film.stop() };
}

class Stills {
  constructor(id, actions) {
    this.id = id;
    this.actions = actions;
    this.caption = h('figcaption', {});
    this.playing = null;
    this.button = h(
      'button',
      { type: 'button', class: 'main', onclick: () => this.toggle() },
      'Play',
    );
    const step = (by) => () => this.show(this.at + by);
    this.strip = h(
      'ol',
      { class: 'film' },
      actions.map((action, i) =>
        h(
          'li',
          {},
          h(
            'button',
            { type: 'button', onclick: () => this.show(i) },
            h('strong', {}, `${action.seq}. `),
            action.did,
            action.ok ? null : pill(action.error?.code ?? 'failed', 'failed'),
          ),
        ),
      ),
    );
    this.node = h(
      'div',
      { class: 'live' },
      h(
        'figure',
        {},
        this.screen(),
        this.caption,
        h(
          'p',
          { class: 'actions' },
          this.button,
          h('button', { type: 'button', onclick: step(-1) }, 'Previous'),
          h('button', { type: 'button', onclick: step(1) }, 'Next'),
        ),
      ),
      h('section', { class: 'feed', 'aria-label': 'Actions' }, this.strip),
    );
    this.show(0);
  }

  screen() {
    this.image = h('img', { class: 'still' });
    this.none = h('p', { class: 'quiet' }, 'This step has no screenshot.');
    return [this.image, this.none];
  }

  picture(action) {
    const name = action.screenshot_after ?? action.screenshot_before;
    this.image.hidden = !name;
    this.none.hidden = Boolean(name);
    if (name) {
      this.image.src = `/api/recording/${encodeURIComponent(this.id)}/picture/${encodeURIComponent(name)}`;
      this.image.alt = `The page after step ${action.seq}: ${action.did}`;
    }
  }

  show(index) {
    this.at = Math.max(0, Math.min(this.actions.length - 1, index));
    const action = this.actions[this.at];
    this.picture(action);
    this.mark(action);
  }

  mark(action) {
    this.caption.replaceChildren(
      `${action.seq}. ${action.did} `,
      h(
        'span',
        { class: 'quiet' },
        `${action.verb} · ${duration(action.duration_ms)} · ${action.url}`,
      ),
    );
    for (const [i, item] of [...this.strip.children].entries()) {
      if (this.actions[i] === action) item.firstElementChild.setAttribute('aria-current', 'step');
      else item.firstElementChild.removeAttribute('aria-current');
    }
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at === this.actions.length - 1) this.show(0);
    this.button.textContent = 'Pause';
    this.playing = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.actions.length - 1) this.stop();
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.button.textContent = 'Play';
  }
}

// The steps beside a film: a step moves the film to where it begins, and the film moves through the steps.
class Film extends Stills {
  screen() {
    this.video = h('video', {
      class: 'still',
      controls: true,
      preload: 'auto',
      'aria-label': 'What the tab showed',
      src: `/api/recording/${encodeURIComponent(this.id)}/film`,
    });
    this.video.addEventListener('timeupdate', () => this.follow());
    this.video.addEventListener('play', () => {
      this.button.textContent = 'Pause';
    });
    this.video.addEventListener('pause', () => {
      this.button.textContent = 'Play';
    });
    return [this.video];
  }

  picture(action) {
    this.video.currentTime = action.film_s ?? 0;
  }

  follow() {
    const at = this.actions.findLastIndex(
      (action) => (action.film_s ?? 0) <= this.video.currentTime,
    );
    if (at < 0 || this.actions[at].film_s === this.actions[this.at].film_s) return;
    this.at = at;
    this.mark(this.actions[at]);
  }

  toggle() {
    if (this.video.paused) this.video.play();
    else this.video.pause();
  }

  stop() {
    this.video.pause();
  }
}
