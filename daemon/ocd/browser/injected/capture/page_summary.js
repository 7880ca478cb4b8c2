// What a page is about, before all of its text: landmarks, headings, forms and tables.

const LANDMARKS = new Set(
  (
    'banner complementary contentinfo form main navigation region search article dialog' +
    ' alertdialog'
  ).split(' '),
);
const MANY_FIELDS = 50;

const metaOf = (name) =>
  squeeze(
    firstMatch(document, `meta[name="${name}" i], meta[property="og:${name}" i]`)?.getAttribute(
      'content',
    ) ?? '',
  );

const belongsTo = (el, selector) => !clobbered(el) && el.closest(selector) !== null;

function tableSummary({ el, name }) {
  const rows = el.rows?.length ?? el.querySelectorAll('[role=row]').length;
  const cells = el.rows?.[0]?.cells.length ?? el.querySelector('[role=row]')?.children.length ?? 0;
  return `${quote(clip(name || 'unnamed'))}: ${rows} rows, ${cells} columns`;
}

function formLines(found) {
  const forms = new Map();
  for (const one of found) {
    if (
      !one.acts ||
      !(FIELDS.has(one.role) || /^(?:checkbox|radio|switch|listbox|button)$/.test(one.role))
    )
      continue;
    const form = belongsTo(one.el, 'form, [role=form], [role=search], search')
      ? one.el.closest('form, [role=form], [role=search], search')
      : null;
    if (!form && one.role === 'button') continue;
    forms.set(form, [...(forms.get(form) || []), one]);
  }
  return [...forms].flatMap(([form, ones]) => {
    const name = form
      ? clobbered(form)
        ? clobberedFormName(form)
        : squeeze(nameOf(form, 'form'))
      : '';
    const rest = ones.length > MANY_FIELDS ? [`  … ${ones.length - MANY_FIELDS} more`] : [];
    return [
      form ? `form${name ? ` ${quote(name)}` : ''}` : 'outside of forms',
      ...ones.slice(0, MANY_FIELDS).map((one) => `  ${lineOf(one, true)}`),
      ...rest,
    ];
  });
}

function summarize() {
  const found = walkElements((el, role, name, acts) =>
    acts || role === 'heading' || role === 'table' || LANDMARKS.has(role) ? OF_KIND : 0,
  );
  const of = (role) => found.filter((one) => one.role === role);
  const parts = [
    ['description', [metaOf('description')]],
    ['language', [rootElementOf(document)?.lang ?? '']],
    [
      'landmarks',
      found
        .filter((one) => LANDMARKS.has(one.role))
        .map(
          (one) => `${one.role}${hasName(one.el) && one.name ? ` ${quote(clip(one.name))}` : ''}`,
        ),
    ],
    [
      'headings',
      of('heading').map(
        (one) =>
          `${'  '.repeat(headingLevelOf(one.el) - 1)}${headingLevelOf(one.el)} ${clip(one.name)}`,
      ),
    ],
    ['forms', formLines(found)],
    ['tables', of('table').map(tableSummary)],
  ];
  const links = of('link').length;
  return {
    about: parts
      .map(([title, lines]) => [title, lines.filter(Boolean)])
      .filter(([, lines]) => lines.length),
    links,
  };
}

Object.assign(globalThis.openchrome, { summarize: (options) => runReader(summarize, options) });
