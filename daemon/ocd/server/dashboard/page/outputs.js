// Stored outputs: the list of them, and one of them by pages, with a search.

import { call, get } from './connection.js';
import { bytes, failure, h, heading, notice, plural, time } from './dom.js';

const PAGE = 50;

export async function outputsView() {
  const offset = Number(new URLSearchParams(location.search).get('offset')) || 0;
  const found = await get(`/api/outputs?limit=${PAGE}&offset=${offset}`);
  const node = [heading('Outputs', h('span', { class: 'quiet' }, plural(found.total, 'output')))];
  if (!found.outputs.length) {
    node.push(
      notice(
        'Nothing is stored',
        'Stored large results appear here.',
        h('pre', {}, 'oc crawl https://example.com --output-mode handle'),
      ),
    );
  } else {
    node.push(outputTable(found.outputs), pager('/outputs?offset=', offset, PAGE, found.total));
  }
  return { title: 'Outputs', node };
}

function outputTable(outputs) {
  return h(
    'table',
    { class: 'rows' },
    h('caption', { class: 'unseen' }, 'Stored outputs, newest first'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Output', 'From', 'Size', 'Created', 'Expires'].map((name) =>
          h('th', { scope: 'col' }, name),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      outputs.map((output) =>
        h(
          'tr',
          {},
          h(
            'td',
            { class: 'name' },
            h(
              'a',
              { href: `/output/${output.output_handle}` },
              h('code', {}, output.output_handle),
            ),
            h('span', { class: 'quiet cut' }, output.preview ?? output.mime_type),
          ),
          h('td', { 'data-label': 'From' }, output.source_tool),
          h('td', { 'data-label': 'Size' }, size(output)),
          h('td', { 'data-label': 'Created' }, time(output.created_at)),
          h('td', { 'data-label': 'Expires' }, time(output.expires_at)),
        ),
      ),
    ),
  );
}

function size(output) {
  const items = output.item_count === null ? '' : ` · ${plural(output.item_count, 'item')}`;
  return bytes(output.size_bytes) + items;
}

function pager(path, offset, limit, total) {
  const pages = [];
  if (offset > 0) pages.push(h('a', { href: path + Math.max(0, offset - limit) }, '← Previous'));
  if (offset + limit < total) pages.push(h('a', { href: path + (offset + limit) }, 'Next →'));
  return h('nav', { class: 'pager', 'aria-label': 'Pages' }, pages);
}

export async function outputView(app, handle) {
  const offset = Number(new URLSearchParams(location.search).get('offset')) || 0;
  const params = { output_handle: handle, offset };
  const first = await call('oc_output_fetch', params);
  const page =
    first.format === 'items' ? await call('oc_output_fetch', { ...params, limit: PAGE }) : first;
  const matches = h('div');
  const base = `/output/${encodeURIComponent(handle)}?offset=`;
  return {
    title: handle,
    node: [
      heading(
        handle,
        h('span', { class: 'quiet' }, describe(page)),
        h(
          'span',
          { class: 'actions' },
          h(
            'a',
            {
              class: 'button',
              href: `/api/output/${encodeURIComponent(handle)}/file`,
              download: '',
            },
            'Download',
          ),
        ),
      ),
      searchForm(handle, base, matches),
      matches,
      content(page),
      step(base, page),
    ],
  };
}

function describe(page) {
  const unit = page.format === 'items' ? plural(page.total, 'item') : bytes(page.total);
  return page.format === 'items'
    ? `${page.offset + 1}–${page.offset + page.returned} of ${unit}`
    : unit;
}

function step(base, page) {
  const links = [];
  const back = Math.max(0, page.offset - page.limit);
  if (page.offset > 0) links.push(h('a', { href: base + back }, '← Previous'));
  if (!page.eof) links.push(h('a', { href: base + page.next_offset }, 'Next →'));
  return h('nav', { class: 'pager', 'aria-label': 'Pages' }, links);
}

function content(page) {
  if (page.format === 'bytes') return notice('Not text', 'oc output save writes it to a file.');
  if (page.format === 'text') return h('pre', { class: 'text', tabindex: '0' }, page.content);
  if (!page.content.length) return notice('Nothing here', 'The output has no more items.');
  return h('ol', { class: 'items', start: page.offset + 1 }, page.content.map(item));
}

function item(value) {
  if (value === null || typeof value !== 'object') return h('li', { class: 'card' }, String(value));
  const name = value.title || value.url || value.name || Object.keys(value).join(', ');
  const facts = ['status', 'error', 'depth', 'engine']
    .filter((key) => value[key] !== undefined)
    .map((key) => `${key} ${short(value[key])}`);
  return h(
    'li',
    { class: 'card' },
    h(
      'details',
      {},
      h(
        'summary',
        {},
        h('strong', {}, String(name)),
        h('span', { class: 'quiet cut' }, [value.url, ...facts].filter(Boolean).join(' · ')),
      ),
      h(
        'pre',
        { tabindex: '0' },
        typeof value.content === 'string' && value.content
          ? value.content
          : JSON.stringify(value, null, 2),
      ),
    ),
  );
}

function short(value) {
  return typeof value === 'object' && value
    ? String(value.code ?? JSON.stringify(value))
    : String(value);
}

function searchForm(handle, base, matches) {
  const pattern = h('input', { id: 'pattern', type: 'search', required: true });
  const search = async (event) => {
    event.preventDefault();
    matches.replaceChildren(h('p', { class: 'quiet', role: 'status' }, 'Searching…'));
    try {
      const found = await call('oc_output_search', {
        output_handle: handle,
        pattern: pattern.value,
      });
      matches.replaceChildren(matchList(found, base));
    } catch (error) {
      matches.replaceChildren(failure(error));
    }
  };
  return h(
    'form',
    { class: 'filters', role: 'search', onsubmit: search },
    h('label', { for: 'pattern' }, 'Regular expression'),
    pattern,
    h('button', {}, 'Search'),
  );
}

function matchList(found, base) {
  if (!found.matches.length) return h('p', { class: 'quiet', role: 'status' }, 'No matches.');
  return h(
    'section',
    { class: 'card' },
    h('h2', { role: 'status' }, plural(found.matches.length, 'match', 'matches')),
    h(
      'ul',
      { class: 'matches' },
      found.matches.map((match) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: base + (match.item ?? match.offset) },
            match.item === null || match.item === undefined
              ? `at ${match.offset}`
              : `item ${match.item + 1}`,
          ),
          ' ',
          h('span', {}, match.text),
        ),
      ),
    ),
  );
}
