// An element, or a text, in few words.

const LINE = 160;
const clip = (text, most = LINE) => (text.length > most ? `${text.slice(0, most)}…` : text);
const normalizeText = (text) => squeeze(text).toLowerCase();
const plainText = (el) => squeeze((contentIn(el) || '').slice(0, 200));

// An element in few words, with its ref if it can be acted on.
function labelOf(el) {
  const role = roleOf(el);
  const name = nameOf(el, role) || (role && !FIELDS.has(role) ? clip(plainText(el), 60) : ''); // a list's options are no name
  const id = el.id ? `#${el.id}` : '';
  const known = numbers.has(el) || WIDGETS.has(role) || FIELDS.has(role);
  return `${role || `<${el.tagName.toLowerCase()}${id}>`}${name ? ` ${quote(clip(name, 60))}` : ''}${known ? ` [ref=e${refOf(el)}]` : ''}`;
}
