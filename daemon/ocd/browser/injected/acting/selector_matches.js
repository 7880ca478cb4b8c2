// Elements that a selector or a path names, described or offered as what an action may mean.

function describeMatch(el) {
  const box = toWindowBox(
    windowOf(documentOf(el)) || window,
    (tagOf(el) === 'AREA' && visibleBoxOf(el)) || boundingBoxOf(el),
  );
  const attributes = {};
  for (const { name, value } of attributesOf(el)) {
    if (name === 'value' && el.type === 'password') continue;
    attributes[name] = clip(value, 500);
  }
  const text = squeeze(visibleTextOf(el, 5000));
  const short = clip(text, 200);
  return {
    ref: `e${refOf(el)}`,
    tag_name: tagOf(el).toLowerCase(),
    id: attributes.id ?? '',
    class: attributes.class ?? '',
    attributes,
    text_content: short,
    ...(short === text ? {} : { cut: true }),
    is_visible: hasBox(el),
    bounding_box: [box.x, box.y, box.w, box.h],
  };
}

function queryDom(options) {
  surroundingTexts = new Map();
  sectionTitles = new Map();
  if (isReadByParent()) return { elements: [], total: 0 };
  const all = matchesEverywhere(options);
  return { elements: all.slice(0, options.limit).map(describeMatch), total: all.length };
}
const roleAndName = (el) =>
  clobbered(el)
    ? { role: 'form', name: clobberedFormName(el) }
    : { role: roleOf(el), name: nameOf(el, roleOf(el)) };

// The one element that a selector means: the only match, or the only one that is seen.
function candidates(selector) {
  surroundingTexts = new Map();
  sectionTitles = new Map();
  if (isReadByParent()) return { matches: [], total: 0 };
  const all = matchesEverywhere({ selector, pierce: true });
  const seen = all.filter((el) => hasBox(el) || (!clobbered(el) && labelsOf(el).some(hasBox)));
  const found = (seen.length ? seen : all).map((el) => ({
    el,
    ...roleAndName(el),
    score: 100,
    acts: true,
    seen: isInSight(el),
  }));
  return {
    matches: describeMatches(found.slice(0, seen.length ? 10 : 1), { limit: 10 }),
    total: seen.length || Math.min(all.length, 1),
  };
}

Object.assign(globalThis.openchrome, {
  queryDom: (options) => runReader(queryDom, options),
  candidates: (options) => runReader(() => candidates(options.selector), options),
});
