// What a recording keeps of an element. Never what somebody has typed into it.
const RECORDED_ATTRIBUTES = [
  'id',
  'name',
  'type',
  'placeholder',
  'aria-label',
  'title',
  'alt',
  'href',
  'role',
  'autocomplete',
  'data-testid',
  'data-test',
];
const MAX_PATH_LEVELS = 6;

function identityOf(el) {
  const tag = tagOf(el).toLowerCase();
  if (clobbered(el))
    return { tag, attributes: {}, label: '', text: '', around: '', row: '', selector: tag };
  surroundingTexts = new Map();
  const attributes = {};
  const near = surroundingWords(el);
  for (const name of RECORDED_ATTRIBUTES)
    if (el.hasAttribute(name)) attributes[name] = clip(el.getAttribute(name), 200);
  const typed = /^(input|textarea|select)$/.test(tag) || el.isContentEditable;
  return {
    tag,
    attributes,
    selector: pathOf(el),
    label: labelsOf(el)
      .slice(0, 1)
      .map((label) => clip(squeeze(textContentOf(label).slice(0, 400))))
      .join(''),
    text: typed ? '' : clip(squeeze(textContentOf(el).slice(0, 400))),
    around: clip(squeeze(`${near.words} ${sectionOf(el)}`), 200),
    // Of one among many of its kind: what tells it from the others.
    row: near.repeated ? clip(squeeze(near.words), 200) : '',
  };
}

function pathOf(el) {
  const steps = [];
  for (let at = el; at && steps.length < MAX_PATH_LEVELS; at = parentElementOf(at)) {
    const tag = tagOf(at).toLowerCase();
    if (!clobbered(at) && at.id) return [`#${CSS.escape(at.id)}`, ...steps].join(' > ');
    const like = (parentElementOf(at) ? [...childElementsOf(parentElementOf(at))] : []).filter(
      (one) => tagOf(one) === tagOf(at),
    );
    steps.unshift(like.length > 1 ? `${tag}:nth-of-type(${like.indexOf(at) + 1})` : tag);
  }
  return steps.join(' > ');
}
