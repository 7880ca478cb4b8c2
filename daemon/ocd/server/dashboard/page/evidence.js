// Evidence: the bundles that there are, and one of them, or two beside each other with what differs.

import { call, get } from './connection.js';
import { bytes, failure, h, heading, notice, pill, plural, time } from './dom.js';

const NAMES = {
  outline: 'Outline',
  dom: 'HTML',
  network: 'Requests',
  console: 'Console',
  facts: 'Facts',
  schema_diff: 'Schema',
  gate: 'Gate',
  contract_facts: 'Contract facts',
  phash: 'Image hash',
};
const PLACES = ['line_a', 'line_b'];

function name(bundle) {
  return bundle.title || bundle.url || bundle.bundle_id;
}

export async function evidenceView() {
  const { bundles } = await get('/api/evidence');
  const node = [
    heading('Evidence', h('span', { class: 'quiet' }, plural(bundles.length, 'bundle'))),
  ];
  node.push(
    bundles.length
      ? bundleTable(bundles)
      : notice(
          'No evidence yet',
          'Captured states of pages (screenshot, outline, requests, console) appear here.',
          h('pre', {}, 'oc evidence-bundle'),
        ),
  );
  return { title: 'Evidence', node };
}

function bundleTable(bundles) {
  return h(
    'table',
    { class: 'rows' },
    h('caption', { class: 'unseen' }, 'Evidence bundles, newest first'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Page', 'Taken', 'Session', 'Size', 'Compare'].map((label) =>
          h('th', { scope: 'col' }, label),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      bundles.map((bundle, i) =>
        h(
          'tr',
          {},
          h(
            'td',
            { class: 'name' },
            h('a', { href: `/evidence/${bundle.bundle_id}` }, name(bundle)),
            h('span', { class: 'quiet cut' }, bundle.url ?? bundle.bundle_id),
          ),
          h('td', { 'data-label': 'Taken' }, time(bundle.created_at)),
          h('td', { 'data-label': 'Session' }, bundle.session ?? '–'),
          h('td', { 'data-label': 'Size' }, bytes(bundle.size_bytes)),
          h('td', { 'data-label': 'Compare' }, withEarlier(bundle, bundles.slice(i + 1))),
        ),
      ),
    ),
  );
}

// A link to it beside the one before of the same address.
function withEarlier(bundle, older) {
  const before = older.find((one) => one.url && one.url === bundle.url);
  if (!before) return '–';
  return h(
    'a',
    {
      href: `/evidence/${before.bundle_id}/${bundle.bundle_id}`,
      'aria-label': `Compare ${name(bundle)} with the previous one`,
    },
    'With the previous one',
  );
}

export async function bundleView(app, id, otherId) {
  const ids = [id, otherId].filter(Boolean);
  const [{ bundles }, ...shown] = await Promise.all([
    get('/api/evidence'),
    ...ids.map((one) => get(`/api/evidence/${encodeURIComponent(one)}`)),
  ]);
  const title = shown.map(name).join(' · ');
  const difference = otherId
    ? await call('oc_diff', { a: id, b: otherId }).catch((error) => ({ error }))
    : null;
  return {
    title,
    node: [
      heading(
        otherId ? 'Compared' : name(shown[0]),
        difference && !difference.error ? verdict(difference) : null,
      ),
      otherId ? null : comparison(app, shown[0], bundles),
      difference ? differences(difference) : null,
      h('div', { class: otherId ? 'beside' : '' }, shown.map(bundlePanel)),
    ].filter(Boolean),
  };
}

function comparison(app, bundle, bundles) {
  const others = bundles.filter((one) => one.bundle_id !== bundle.bundle_id);
  if (!others.length) return null;
  const ordered = [
    ...others.filter((one) => one.url === bundle.url),
    ...others.filter((one) => one.url !== bundle.url),
  ];
  const select = h(
    'select',
    { id: 'other' },
    ordered.map((one) =>
      h('option', { value: one.bundle_id }, `${name(one)}, ${time(one.created_at).textContent}`),
    ),
  );
  const compare = (event) => {
    event.preventDefault();
    app.go(`/evidence/${bundle.bundle_id}/${select.value}`);
  };
  return h(
    'form',
    { class: 'filters', onsubmit: compare },
    h('label', { for: 'other' }, 'Compare with'),
    select,
    h('button', {}, 'Compare'),
  );
}

function verdict({ same, total, screenshot_distance: distance }) {
  if (same) return pill('the same', 'completed');
  const looks = distance ? ', looks different' : '';
  return pill(`${plural(total, 'difference')}${looks}`, 'running');
}

function differences({ error, differences: found, total }) {
  if (error) return failure(error);
  if (!found.length)
    return h('p', { class: 'quiet' }, 'Outline, HTML, requests, console and facts are the same.');
  return h(
    'section',
    {},
    h('h2', {}, 'Differences'),
    h('ol', { class: 'entries differences' }, found.map(differenceRow)),
    total > found.length
      ? h('p', { class: 'quiet' }, `The first ${found.length} of ${plural(total, 'difference')}`)
      : null,
  );
}

function differenceRow({ part, change, before, after, ...rest }) {
  const more = Object.entries(rest).filter(([key]) => !PLACES.includes(key));
  const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  return h(
    'li',
    { class: 'entry' },
    h(
      'p',
      {},
      h('strong', {}, NAMES[part] ?? part),
      ' ',
      pill(change, 'pending'),
      ' ',
      h(
        'span',
        { class: 'quiet' },
        more.map(([key, value]) => `${key}: ${text(value)}`).join(' · '),
      ),
    ),
    before === undefined ? null : h('pre', { class: 'removed' }, text(before)),
    after === undefined ? null : h('pre', { class: 'added' }, text(after)),
  );
}

function bundlePanel(bundle) {
  const path = `/api/evidence/${bundle.bundle_id}/`;
  const has = (part) => bundle.parts.includes(part);
  return h(
    'section',
    { class: 'card bundle', 'aria-label': `${name(bundle)} ${bundle.bundle_id}` },
    h('h2', {}, name(bundle)),
    h(
      'p',
      { class: 'quiet' },
      time(bundle.created_at),
      ` · ${bundle.bundle_id}`,
      h('span', { class: 'cut' }, bundle.url ?? ''),
    ),
    bundle.inconclusive_reason ? h('p', {}, bundle.inconclusive_reason) : null,
    has('screenshot')
      ? h('img', { class: 'still', src: `${path}screenshot`, alt: `${name(bundle)} as it looked` })
      : null,
    Object.keys(NAMES)
      .filter(has)
      .map((part) => partDetails(part, path + part)),
  );
}

function partDetails(part, path) {
  const body = h('pre', { tabindex: '0' }, 'Loading…');
  const load = async () => {
    if (body.dataset.loaded) return;
    body.dataset.loaded = 'yes';
    const response = await fetch(path).catch(() => null);
    body.textContent = response?.ok ? indented(await response.text()) : 'This part cannot be read.';
  };
  return h('details', { ontoggle: load }, h('summary', {}, NAMES[part]), body);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
