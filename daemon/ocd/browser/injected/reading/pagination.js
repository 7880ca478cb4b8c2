// How a page goes on where it is one of several.

const NEXT_WORDS =
  /^(?:next(?: page)?|older(?: posts| entries)?|weiter|nächste(?: seite)?|vor|suivante?|page suivante|siguiente|próxima?|successiv[ao]|volgende|следующая|далее|次へ?|次のページ|下一页|下一頁|다음(?: 페이지)?)\s*[›»→>❯]*$|^[›»→❯]$/im;
const MORE_WORDS =
  /^(?:load|show|view|see|mehr|weitere|charger|voir|cargar|ver)\b.{0,12}\b(?:more|laden|anzeigen|plus|más)\b|^more(?: results)?$|더 ?보기|もっと見る|加载更多|更多/im;
const PAGE_OF =
  /(?:page|seite|página|страница|페이지)\s*(\d{1,5})\s*(?:of|von|de|sur|из|\/)\s*(\d{1,5})(?!\d)/i;
const CURSOR = /[?&](?:cursor|after|page_token|continuation|starting_after|max_id)=/i;
const MAX_LINKS = 20000;
const MAX_LEAD_LABEL = 60;

// Selectors one by one, see IMPLICIT_ACTIONS.
const PAGE_LISTS = [
  'nav',
  'ul',
  'ol',
  '[role=navigation]',
  '[class*="pagin" i]',
  '[class*="pager" i]',
];
const LEADING_CONTROLS = [
  'a',
  'button',
  '[role=button]',
  '[role=link]',
  'input[type=button]',
  'input[type=submit]',
];
const DRAWN_CONTENT = ['canvas', 'embed', 'object'];
const FEEDS = [
  '[role=feed]',
  '[class*="infinite" i]',
  '[data-infinite-scroll]',
  '[id*="infinite" i]',
];
const PAGE_NUMBER = /^\d{1,5}$/;

const matchesAny = (selectors) => selectors.some((one) => firstMatch(document, one) !== null);
const isUsable = (el) =>
  visibleBoxOf(el) !== null && !isDisabled(el, 'button') && closestMatch(el, '[inert]') === null;
const earlierOf = (one, other) => (one && (!other || isBefore(one, other)) ? one : other);

// The longest list of rising page numbers, the first of those as long.
function longestPageList() {
  let best = null;
  for (const box of PAGE_LISTS.flatMap((one) => [...allMatches(document, one)])) {
    if (clobbered(box)) continue;
    const pages = [];
    for (const el of [...box.querySelectorAll('a, button, [aria-current]')].slice(0, 60)) {
      const number = PAGE_NUMBER.test(squeeze(textContentOf(el))) ? Number(textContentOf(el)) : 0;
      if (number) pages.push(number);
    }
    const rising = pages.length >= 2 && pages.every((page, at) => at === 0 || page > pages[at - 1]);
    const more = rising && pages.length - (best?.pages.length ?? 0);
    if (rising && (more > 0 || (more === 0 && isBefore(box, best.box)))) best = { box, pages };
  }
  if (!best) return null;
  const now = best.box.querySelector(
    '[aria-current]:not([aria-current=false]), .active, .current, .selected',
  );
  return {
    current: Number(squeeze(now ? textContentOf(now) : '')) || null,
    last: best.pages.at(-1),
  };
}

// What a link or a button is called, a line for each: its words, its label, its tip.
function leadLabelsOf(el) {
  const own = shortLabel(textContentOf(el));
  const label = shortLabel(el.getAttribute('aria-label'));
  const tip = shortLabel(el.getAttribute('title'));
  const value = el.tagName === 'INPUT' ? shortLabel(el.value) : '';
  return label === '' && tip === '' && value === '' ? own : [own, label, tip, value].join('\n');
}
const shortLabel = (text) => (text && text.length < MAX_LEAD_LABEL ? squeeze(text) : '');

// The first link or button that leads to the next page, and the first that brings more.
function findPageLinks() {
  const found = { next: null, more: null };
  let left = MAX_LINKS;
  for (const selector of LEADING_CONTROLS) {
    const here = { next: null, more: null };
    for (const el of allMatches(document, selector)) {
      if (--left < 0 || (here.next && here.more)) break;
      const labels = leadLabelsOf(el);
      if (!here.next && NEXT_WORDS.test(labels) && isUsable(el)) here.next = el;
      if (!here.more && MORE_WORDS.test(labels) && isUsable(el)) here.more = el;
    }
    for (const kind of ['next', 'more']) found[kind] = earlierOf(here[kind], found[kind]);
  }
  return found;
}

const isLongPage = () =>
  rootScrollerOf(document) && rootScrollerOf(document).scrollHeight > innerHeight * 1.5;

// Null, or how the page goes on: type, the element that leads on, pages as far as they are told.
function pagination() {
  if (!bodyOf(document) || isReadByParent()) return null;
  const linked = [...allMatches(document, '[rel~="next"]')].find((el) =>
    /^(?:A|LINK)$/i.test(tagOf(el)),
  );
  const lead = findPageLinks();
  const next = (linked?.tagName === 'A' && isUsable(linked) ? linked : null) || lead.next;
  const url = (next?.tagName === 'A' ? next : linked)?.href || '';
  const numbers = longestPageList();
  const drawn = matchesAny(DRAWN_CONTENT);
  const told =
    drawn || next ? PAGE_OF.exec(textContentOf(bodyOf(document)).slice(0, 100000)) : null;
  const pages =
    told && Number(told[1]) <= Number(told[2])
      ? { current: Number(told[1]), last: Number(told[2]) }
      : numbers;
  const about = {
    ...(next ? { ref: `e${refOf(next)}` } : {}),
    ...(url && /^https?:/.test(url) ? { url } : {}),
    ...(pages ? { current: pages.current, last: pages.last } : {}),
  };
  if (CURSOR.test(url)) return { type: 'cursor', ...about };
  if (numbers && (next || numbers.last > 1)) return { type: 'numbered', ...about };
  if (told && drawn) return { type: 'viewer', ...about };
  if (next || linked) return { type: 'next_button', ...about };
  if (lead.more) return { type: 'load_more', ref: `e${refOf(lead.more)}` };
  return matchesAny(FEEDS) && isLongPage() ? { type: 'infinite_scroll' } : null;
}

Object.assign(globalThis.openchrome, { pagination: (options) => runReader(pagination, options) });
