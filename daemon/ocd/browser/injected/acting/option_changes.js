// Options of lists that came, went, or stand in another list: a list that is filled anew has those that it had.

const MAX_OPTIONS = 12;
const MAX_OPTION = 60; // characters
const MAX_OPTIONS_CHARS = 300;

const isOption = (node) =>
  nodeTypeOf(node) === Node.ELEMENT_NODE &&
  node.tagName === 'OPTION' &&
  node.closest('select') !== null;
const selectAround = (node) =>
  nodeTypeOf(node) === Node.ELEMENT_NODE ? closestMatch(node, 'select') : null;

// Whether a node stands in the button of a select that the page styles: it draws the value, which is told. `from`: what
// it stood in.
const isDrawnValue = (node, from = parentNodeOf(node)) =>
  Boolean(from) &&
  selectAround(from) !== null &&
  !(nodeTypeOf(node) === Node.ELEMENT_NODE && /^OPT/.test(node.tagName));

// The options of a select whose picker the page styles, while it is open.
function pickerLines(el) {
  if (tagOf(el) !== 'SELECT' || el.size > 1 || el.multiple) return [];
  const shown = [...el.options].filter((one) => visibleBoxOf(one) !== null);
  return optionLine(shown.map(leadingText), 'in', el);
}

// `came`: options that are new where they stand; `gone`: pairs of one and what it stood in.
function optionChanges(came, gone) {
  const lists = new Map();
  const partsOf = (list) => lists.get(list) || lists.set(list, { came: [], gone: [] }).get(list);
  for (const one of came) partsOf(one.closest('select')).came.push(leadingText(one));
  for (const [one, from] of gone) {
    const list = selectAround(from);
    if (list?.isConnected) partsOf(list).gone.push(leadingText(one));
  }
  const changes = {
    added: [],
    removed: [],
    moved: [],
    lists: new Set(gone.map(([, from]) => from).filter((from) => lists.has(selectAround(from)))),
  };
  const differing = [...lists].map(([list, parts]) => [
    list,
    withoutValues(parts.came, parts.gone),
    withoutValues(parts.gone, parts.came),
    parts,
  ]);
  const [arrived, left] = [
    differing.flatMap(([, news]) => news),
    differing.flatMap(([, , olds]) => olds),
  ];
  for (const [list, news, olds, parts] of differing) {
    const fresh = withoutValues(news, left);
    changes.moved.push(...optionLine(withoutValues(news, fresh), 'now in', list));
    changes.added.push(...optionLine(fresh, 'in', list));
    changes.removed.push(...optionLine(withoutValues(olds, arrived), 'of', list));
    const turned =
      !news.length && !olds.length && parts.came.some((text, at) => text !== parts.gone[at]);
    if (turned) changes.moved.push(...optionLine(parts.came, 'in this order in', list));
  }
  return changes;
}

// Texts without as many of each as others have.
function withoutValues(texts, others) {
  const counts = new Map();
  for (const text of others) counts.set(text, (counts.get(text) || 0) + 1);
  return texts.filter((text) => {
    const count = counts.get(text) || 0;
    if (count) counts.set(text, count - 1);
    return !count;
  });
}

const optionLines = (options, joint) =>
  [...groupItems(options, (one) => one.closest('select'))].flatMap(([list, ones]) =>
    optionLine(ones.map(leadingText), joint, list),
  );

function optionLine(texts, joint, list) {
  if (!texts.length) return [];
  let room = MAX_OPTIONS_CHARS;
  const names = texts
    .slice(0, MAX_OPTIONS)
    .map((text) => quote(clip(text, MAX_OPTION)))
    .filter((name) => (room -= name.length) > 0);
  const more = texts.length > names.length ? `, … ${texts.length - names.length} more` : '';
  return [
    `option${texts.length > 1 ? 's' : ''} ${names.join(', ')}${more} ${joint} ${shortLabelOf(list)}`,
  ];
}
