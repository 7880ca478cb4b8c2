// An element, or a text, in few words.

const MAX_CLIPPED = 160;
const MAX_LEADING = 200;
const clip = (text, most = MAX_CLIPPED) => (text.length > most ? `${text.slice(0, most)}…` : text);
const normalizeText = (text) => squeeze(text).toLowerCase();
const leadingText = (el) => squeeze(collectTexts(el, '').slice(0, MAX_LEADING));

// An element in few words, with its ref if it can be acted on.
function shortLabelOf(el) {
  const role = toldRoleOf(el);
  const name = nameOf(el, role) || (role && !FIELDS.has(role) ? clip(leadingText(el), 60) : ''); // a list's options are no name
  const id = el.id ? `#${el.id}` : '';
  const known = numberByElement.has(el) || WIDGETS.has(role) || FIELDS.has(role);
  const words = name ? ` ${quote(clip(name, 60))}` : known ? hintIfWordless(el, role) : '';
  return `${role || `<${el.tagName.toLowerCase()}${id}>`}${words}${known ? ` [ref=e${refOf(el)}]` : ''}`;
}
