// What a page is about, before all of its text: landmarks, headings, forms and tables; and how it
// goes on where it is one of several.

const LANDMARKS = new Set(('banner complementary contentinfo form main navigation region search article dialog'
  + ' alertdialog').split(' '));
const MANY_FIELDS = 50;

const metaOf = (name) => squeeze(firstMatch(document, `meta[name="${name}" i], meta[property="og:${name}" i]`)?.getAttribute('content') ?? '');

function levelOf(el) {
  return Number(el.getAttribute('aria-level')) || (HEADING.test(el.tagName) ? Number(el.tagName[1]) : 2);
}

const belongsTo = (el, selector) => !clobbered(el) && el.closest(selector) !== null;

function tableSummary({ el, name }) {
  const rows = el.rows?.length ?? el.querySelectorAll('[role=row]').length;
  const cells = el.rows?.[0]?.cells.length ?? el.querySelector('[role=row]')?.children.length ?? 0;
  return `${quote(clip(name || 'unnamed'))}: ${rows} rows, ${cells} columns`;
}

function formLines(found) {
  const forms = new Map();
  for (const one of found) {
    if (!one.acts || !(FIELDS.has(one.role) || /^(?:checkbox|radio|switch|listbox|button)$/.test(one.role))) continue;
    const form = belongsTo(one.el, 'form, [role=form], [role=search], search') ? one.el.closest('form, [role=form], [role=search], search') : null;
    if (!form && one.role === 'button') continue;
    forms.set(form, [...(forms.get(form) || []), one]);
  }
  return [...forms].flatMap(([form, ones]) => {
    const name = form ? clobbered(form) ? formName(form) : squeeze(nameOf(form, 'form')) : '';
    const rest = ones.length > MANY_FIELDS ? [`  … ${ones.length - MANY_FIELDS} more`] : [];
    return [form ? `form${name ? ` ${quote(name)}` : ''}` : 'outside of forms',
      ...ones.slice(0, MANY_FIELDS).map((one) => `  ${lineOf(one, true)}`), ...rest];
  });
}

function semantic() {
  const found = seek((el, role, name, acts) => (acts || role === 'heading' || role === 'table' || LANDMARKS.has(role) ? 1 : 0));
  const of = (role) => found.filter((one) => one.role === role);
  const parts = [
    ['description', [metaOf('description')]], ['language', [rootElementOf(document)?.lang ?? '']],
    ['landmarks', found.filter((one) => LANDMARKS.has(one.role))
      .map((one) => `${one.role}${named(one.el) && one.name ? ` ${quote(clip(one.name))}` : ''}`)],
    ['headings', of('heading').map((one) => `${'  '.repeat(levelOf(one.el) - 1)}${levelOf(one.el)} ${clip(one.name)}`)],
    ['forms', formLines(found)], ['tables', of('table').map(tableSummary)],
  ];
  const links = of('link').length;
  return { about: parts.map(([title, lines]) => [title, lines.filter(Boolean)]).filter(([, lines]) => lines.length), links };
}

// How a page goes on

const NEXT_WORDS = /^(?:next(?: page)?|older(?: posts| entries)?|weiter|nächste(?: seite)?|vor|suivante?|page suivante|siguiente|próxima?|successiv[ao]|volgende|следующая|далее|次へ?|次のページ|下一页|下一頁|다음(?: 페이지)?)\s*[›»→>❯]*$|^[›»→❯]$/i;
const MORE_WORDS = /^(?:load|show|view|see|mehr|weitere|charger|voir|cargar|ver)\b.{0,12}\b(?:more|laden|anzeigen|plus|más)\b|^more(?: results)?$|더 ?보기|もっと見る|加载更多|更多/i;
const PAGE_OF = /(?:page|seite|página|страница|페이지)\s*(\d{1,5})\s*(?:of|von|de|sur|из|\/)\s*(\d{1,5})(?!\d)/i;
const CURSOR = /[?&](?:cursor|after|page_token|continuation|starting_after|max_id)=/i;
const MAX_LINKS = 20000;
const LONG_LABEL = 60;

const usable = (el) => seenBox(el) !== null && !disabledWhy(el, false);

function numbersNear() {
  let best = null;
  for (const box of allMatches(document, 'nav, ul, ol, [role=navigation], [class*="pagin" i], [class*="pager" i]')) {
    if (clobbered(box)) continue;
    const links = [...box.querySelectorAll('a, button, [aria-current]')].slice(0, 60);
    const pages = links.map((el) => Number(/^\d{1,5}$/.exec(squeeze(contentIn(el)))?.[0])).filter(Boolean);
    const rising = pages.length >= 2 && pages.every((page, at) => at === 0 || page > pages[at - 1]);
    if (rising && (!best || pages.length > best.pages.length)) best = { box, pages };
  }
  if (!best) return null;
  const now = best.box.querySelector('[aria-current]:not([aria-current=false]), .active, .current, .selected');
  return { current: Number(squeeze(now ? contentIn(now) : '')) || null, last: best.pages.at(-1) };
}

// The first link or button that leads to the next page, and the first that brings more.
function leads() {
  const found = { next: null, more: null };
  const all = allMatches(document, 'a, button, [role=button], [role=link], input[type=button], input[type=submit]');
  let left = MAX_LINKS;
  for (const el of all) {
    if (--left < 0 || (found.next && found.more)) break;
    const said = [contentIn(el), el.getAttribute('aria-label'), el.getAttribute('title'), el.tagName === 'INPUT' ? el.value : null]
      .filter((text) => text && text.length < LONG_LABEL).map(squeeze);
    for (const [kind, words] of [['next', NEXT_WORDS], ['more', MORE_WORDS]]) {
      if (!found[kind] && said.some((text) => words.test(text)) && usable(el)) found[kind] = el;
    }
  }
  return found;
}

const scrolls = () => rootScrollerOf(document) && rootScrollerOf(document).scrollHeight > innerHeight * 1.5;

// Null, or how the page goes on: type, the element that leads on, pages as far as they are told.
function pagination() {
  if (!bodyOf(document) || elsewhereSeen()) return null;
  const linked = firstMatch(document, 'a[rel~="next"], link[rel~="next"]');
  const lead = leads();
  const next = (linked?.tagName === 'A' && usable(linked) ? linked : null) || lead.next;
  const url = (next?.tagName === 'A' ? next : linked)?.href || '';
  const numbers = numbersNear();
  const drawn = firstMatch(document, 'canvas, embed, object') !== null;
  const told = drawn || next ? PAGE_OF.exec(contentIn(bodyOf(document)).slice(0, 100000)) : null;
  const pages = told && Number(told[1]) <= Number(told[2]) ? { current: Number(told[1]), last: Number(told[2]) } : numbers;
  const about = { ...(next ? { ref: `e${refOf(next)}` } : {}), ...(url && /^https?:/.test(url) ? { url } : {}), ...(pages ? { current: pages.current, last: pages.last } : {}) };
  if (CURSOR.test(url)) return { type: 'cursor', ...about };
  if (numbers && (next || numbers.last > 1)) return { type: 'numbered', ...about };
  if (told && drawn) return { type: 'viewer', ...about };
  if (next || linked) return { type: 'next_button', ...about };
  if (lead.more) return { type: 'load_more', ref: `e${refOf(lead.more)}` };
  const feed = firstMatch(document, '[role=feed], [class*="infinite" i], [data-infinite-scroll], [id*="infinite" i]');
  return feed && scrolls() ? { type: 'infinite_scroll' } : null;
}

Object.assign(globalThis.openchrome, {
  semantic: (options) => read(semantic, options),
  pagination: (options) => read(pagination, options),
});
