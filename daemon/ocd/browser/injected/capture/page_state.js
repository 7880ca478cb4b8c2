// The state of a page in few words: what stands open, what went wrong, what can be filled and pressed.

const MAX_LINES = 40;
const PROBLEM_SELECTOR =
  '[role=alert], [role=status], [aria-live=assertive], [aria-invalid]:not([aria-invalid=false]), :user-invalid,' +
  ' [class*=error i], [class*=invalid i], [class*=alert i], [class*=danger i], [class*=warning i], [class*=toast i]';
const PROBLEM_CLASS =
  /(^|[-_\s])(errors?|invalid|alerts?|danger|warnings?|toasts?)(?=$|[-_\s])|error-?(message|msg|text)|(field|form|input)error/i;
const OVERLAYS = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true], [popover]';
const PAGINATION_WORDS =
  /^(?:[«‹←<]*\s*(?:next|prev(ious)?|older|newer|first|last|more|load more|show more|view more|weiter|zurück|vorherige|nächste|mehr|suivante?|précédente?|plus|siguiente|anterior|más|successiv[ao]|precedente|próxim[ao]|下一页|上一页|下一頁|上一頁|次へ?|前へ?|次のページ|다음|이전|더보기|더 보기|التالي|السابق|הבא|הקודם)(?: page| results?)?\s*[»›→>«‹←<]*|[»›→>«‹←<\s]+(?:(?:page|results?)[»›→>«‹←<\s]*)?)$/i;

const shownText = (el, most) =>
  clip((isCovered(el) ? COVERED_MARK : '') + squeeze(visibleTextOf(el, most * 4 + 200)), most);

class PageReport {
  constructor() {
    this.lines = {};
    this.totals = {};
  }

  add(section, make, extra) {
    const lines = (this.lines[section] ||= []);
    this.totals[section] = (this.totals[section] || 0) + 1;
    if (lines.length < MAX_LINES) lines.push({ text: make(), ...extra });
  }
}

const refMark = (el) => `[ref=e${refOf(el)}]`;

function reportOverlays(report) {
  const open = matchesEverywhere({ selector: OVERLAYS, pierce: true }).filter(
    (el) => hasBox(el) && !(el.hasAttribute('popover') && !el.matches(':popover-open')),
  );
  for (const el of open.filter(
    (one) => !open.some((other) => other !== one && nodeContains(other, one)),
  )) {
    report.add('dialogs', () => {
      const role = roleOf(el) || 'overlay';
      const name = nameOf(el, role);
      const buttons = [...el.querySelectorAll('button, [role=button], input[type=submit], a[href]')]
        .filter(hasBox)
        .slice(0, 6);
      const pressed = buttons
        .map((one) => `${quote(clip(nameOf(one, roleOf(one)), 40))} ${refMark(one)}`)
        .join(', ');
      return `${role}${name ? ` ${quote(clip(name, 80))}` : ''}${isModal(el) ? ' modal' : ''} ${refMark(el)}: ${shownText(el, 120)}${pressed ? ` | ${pressed}` : ''}`;
    });
  }
}

function problemLine(el) {
  if (FIELDS.has(roleOf(el)) || CONTROL_TAGS.has(el.tagName)) {
    const why = errorMessageOf(el) || el.validationMessage || descriptionOf(el);
    return `${lineOf({ el, role: roleOf(el), name: nameOf(el, roleOf(el)) }, true)}${why ? `: ${clip(squeeze(why), 120)}` : ''}`;
  }
  const text = shownText(el, 200);
  return text && `${el.getAttribute('role') || 'message'} ${refMark(el)}: ${text}`;
}

function reportProblems(report) {
  const shown = matchesEverywhere({ selector: PROBLEM_SELECTOR, pierce: true }).filter(
    (el) =>
      hasBox(el) &&
      !clobbered(el) &&
      !/^(BODY|HTML|FORM|MAIN|BUTTON|A)$/.test(el.tagName) &&
      (CONTROL_TAGS.has(el.tagName) ||
        el.matches('[role=alert], [role=status], [aria-live]') ||
        PROBLEM_CLASS.test(el.getAttribute('class') || '')),
  );
  const kept = shown.filter(
    (el) =>
      !shown.some(
        (other) => other !== el && nodeContains(other, el) && !CONTROL_TAGS.has(el.tagName),
      ),
  );
  for (const el of kept) {
    const line = problemLine(el);
    if (line) report.add('errors', () => line);
  }
}

function formNameOf(el) {
  const form = controlOf(el).form || el.closest('form');
  return form
    ? (clobbered(form)
        ? clobberedFormName(form)
        : nameOf(form, 'form') || form.id || form.name || '') ||
        sectionOf(el) ||
        'unnamed'
    : '';
}

function tableLine(el, name) {
  const own = el.tagName === 'TABLE';
  const rows = own ? el.rows.length : el.querySelectorAll('[role=row]').length;
  const head = own ? el.rows[0] : el.querySelector('[role=row]');
  const cells = head ? (own ? [...head.cells] : [...head.children]) : [];
  const words = cells
    .slice(0, 8)
    .map((cell) => shownText(cell, 24))
    .filter(Boolean)
    .join(' | ');
  return `table${name ? ` ${quote(clip(name, 60))}` : ''} ${refMark(el)} ${rows} rows × ${cells.length} columns${words ? `: ${words}` : ''}`;
}

const isPageTurn = (one) =>
  (one.role === 'link' || one.role === 'button' || one.role === 'clickable') &&
  (one.el.rel === 'next' ||
    one.el.rel === 'prev' ||
    (one.name.length < 30 && PAGINATION_WORDS.test(one.name.trim())) ||
    (one.el.getAttribute('aria-current') === 'page' && /^\d+$/.test(one.name)));

function sectionFor(one) {
  const { role, el } = one;
  if (role === 'heading') return 'headings';
  if (role === 'tab') return 'tabs';
  if (role === 'table' || role === 'grid' || role === 'treegrid') return 'tables';
  if (!one.acts) return '';
  if (isPageTurn(one)) return 'pagination';
  if (FIELDS.has(role) || /^(checkbox|radio|switch|listbox)$/.test(role)) return 'fields';
  if (role === 'link') return 'links';
  return role === 'option' || CELL_ROLES.has(role) || role === 'row' || el.tagName === 'BODY'
    ? ''
    : 'buttons';
}

function reportElements(report, found, first) {
  const count = new Map();
  for (const one of found)
    if (one.acts)
      count.set(`${one.role} ${one.name}`, (count.get(`${one.role} ${one.name}`) || 0) + 1);
  const placedIn = found.map((one) => [sectionFor(one), one]).filter(([section]) => section);
  if (first)
    for (const pair of placedIn) pair.push(pair[0] === 'tables' || isInSight(pair[1].el) ? 0 : 1);
  const ordered = first ? [...placedIn].sort((a, b) => a[2] - b[2] || a[1].at - b[1].at) : placedIn;
  for (const [section, one] of ordered) {
    if (section === 'headings' && !one.name) continue;
    report.add(
      section,
      () => {
        if (section === 'tables') return tableLine(one.el, one.name);
        const line = lineOf(
          { ...one, name: one.name || (one.acts ? shownText(one.el, 60) : '') },
          count.get(`${one.role} ${one.name}`) === 1 ||
            section !== 'buttons' ||
            one.role === 'clickable',
        );
        return section === 'headings'
          ? `h${headingLevelOf(one.el)} ${quote(clip(one.name, 80))}`
          : clip(line, 240);
      },
      section === 'fields' ? { form: formNameOf(one.el) } : {},
    );
  }
}

function reportContent(report) {
  const panels = matchesEverywhere({
    selector: 'main, [role=main], article, [role=tabpanel], section',
    pierce: true,
  }).filter(hasBox);
  const innermost = panels.filter(
    (el) => !panels.some((other) => other !== el && nodeContains(el, other)),
  );
  for (const el of innermost.slice(0, 10)) {
    const text = shownText(el, 120);
    if (text)
      report.add(
        'content',
        () =>
          `${nameOf(el, roleOf(el)) ? `${quote(clip(nameOf(el, roleOf(el)), 40))} ` : ''}${text}`,
      );
  }
}

function focusInside(el) {
  const root = shadowRootOf(el) || innerDocument(el);
  return root && activeElementOf(root);
}

function reportFocus(report) {
  let el = activeElementOf(document);
  for (let next = el; next; next = focusInside(el)) el = next;
  if (!el || el.tagName === 'BODY' || /^(IFRAME|FRAME|HTML)$/.test(el.tagName) || clobbered(el))
    return;
  report.add('focused', () =>
    clip(lineOf({ el, role: roleOf(el), name: nameOf(el, roleOf(el)) }, true), 240),
  );
}

// Options: words that elements are to fit, first (what shows comes first).
function inspect(options) {
  const asked = options.words ? new SearchQuery(options.words) : null;
  const found = walkElements((el, role, name, acts) =>
    acts || role === 'heading' || role === 'table' || role === 'grid' || role === 'treegrid'
      ? OF_KIND
      : 0,
  );
  const report = new PageReport();
  const scroller = rootScrollerOf(document);
  const result = {
    lines: report.lines,
    totals: report.totals,
    matches: [],
    ready: readyStateOf(document),
    rendering: found.length === 0 && isRendering(),
    frames: window.length,
    scroll: [Math.round(scrollY), innerHeight, scroller?.scrollHeight ?? innerHeight],
  };
  if (isReadByParent()) return result;
  reportFocus(report);
  if (!options.interactive) {
    reportOverlays(report);
    reportProblems(report);
  }
  reportElements(report, found, options.first);
  if (!options.interactive) reportContent(report);
  if (asked) {
    const best = rankMatches({ query: options.words })
      .filter((one) => one.score >= 40)
      .slice(0, 6);
    result.matches = describeMatches(best, 6).map((one) => ({
      score: one.score,
      text: clip(one.line, 240),
    }));
  }
  return result;
}

Object.assign(globalThis.openchrome, { inspect: (options) => runReader(inspect, options) });
