// The page: which view its address means, and what the daemon tells, handed on to that view.

import { approvalsView } from './approvals.js';
import { EventConnection, get } from './connection.js';
import { failure, h, notice } from './dom.js';
import { bundleView, evidenceView } from './evidence.js';
import { journalView } from './journal.js';
import { liveView } from './live.js';
import { outputView, outputsView } from './outputs.js';
import { recordingView, recordingsView } from './recordings.js';
import { taskView, tasksView } from './tasks.js';

const ROUTES = [
  [/^\/(?:live)?$/, '/live', liveView],
  [/^\/tab\/([^/]+)\/([^/]+)$/, '/live', liveView],
  [/^\/tasks$/, '/tasks', tasksView],
  [/^\/task\/([^/]+)$/, '/tasks', taskView],
  [/^\/outputs$/, '/outputs', outputsView],
  [/^\/output\/([^/]+)$/, '/outputs', outputView],
  [/^\/journal$/, '/journal', journalView],
  [/^\/recordings$/, '/recordings', recordingsView],
  [/^\/recording\/([^/]+)$/, '/recordings', recordingView],
  [/^\/evidence$/, '/evidence', evidenceView],
  [/^\/evidence\/([^/]+)(?:\/([^/]+))?$/, '/evidence', bundleView],
  [/^\/approvals$/, '/approvals', approvalsView],
];

const main = document.getElementById('main');
const waiting = document.getElementById('waiting');
const stateLine = document.getElementById('state');
const app = { viewer: { control: false }, leases: [], go, connection: null };
let view = {};
let showing = 0;
let missed = [];

function go(path) {
  history.pushState(null, '', path);
  show({ moved: true });
}

async function show({ moved = false } = {}) {
  const route = ROUTES.find(([pattern]) => pattern.test(location.pathname));
  const number = ++showing;
  view.close?.();
  view = {};
  missed = [];
  markNavigation(route?.[1]);
  main.setAttribute('aria-busy', 'true');
  const found = await load(route);
  if (number !== showing) {
    found.close?.();
    return;
  }
  view = found;
  document.title = `${view.title} · OpenChrome`;
  main.replaceChildren(...[view.node].flat());
  main.removeAttribute('aria-busy');
  // What was told while the view loaded may be missing in what it loaded.
  for (const message of missed) view.onMessage?.(message);
  if (moved) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

async function load(route) {
  if (!route) {
    const link = h('p', {}, h('a', { href: '/tasks' }, 'See the tasks'));
    return { title: 'Not found', node: notice('Page not found', location.pathname, link) };
  }
  const [pattern, , make] = route;
  const words = location.pathname
    .match(pattern)
    .slice(1)
    .map((word) => word && decodeURIComponent(word));
  try {
    return await make(app, ...words);
  } catch (error) {
    return { title: 'Error', node: failure(error) };
  }
}

function markNavigation(path) {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === path) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function showState(state) {
  const texts = { open: 'Connected', lost: 'Connection lost, trying again…', locked: 'No access' };
  stateLine.textContent = texts[state];
  stateLine.dataset.state = state;
  if (state === 'locked') {
    main.replaceChildren(
      notice(
        'This browser no longer has access',
        'The daemon was restarted. For a new link: oc dashboard',
      ),
    );
  }
}

async function onState(state) {
  const before = stateLine.dataset.state;
  showState(state);
  if (state === 'locked' || (state === 'lost' && before)) return;
  // The first view is shown once changes are told, so that none is missed in between.
  await loadStatus().catch(() => {});
  if (before && view.isHolding?.()) return; // a person in the middle of something
  await show();
}

function onMessage(message) {
  if (message.approvals) {
    const count = message.approvals.length;
    waiting.textContent = count ? String(count) : '';
    waiting.hidden = !count;
  }
  app.leases = message.leases ?? app.leases;
  if (view.node) view.onMessage?.(message);
  else missed.push(message);
}

async function loadStatus() {
  const status = await get('/api/status');
  app.viewer = status.viewer;
  app.status = status;
  document.body.classList.toggle('view-only', !status.viewer.control);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest("a[href^='/']");
  const isPlain =
    !event.defaultPrevented &&
    event.button === 0 &&
    !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || link.target || link.hasAttribute('download')) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
addEventListener('popstate', () => show({ moved: true }));

app.connection = new EventConnection({
  message: onMessage,
  frame: (frame) => view.onFrame?.(frame),
  state: onState,
});
