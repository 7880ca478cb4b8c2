// What is on top of the page, and what has the focus: in a few words.

const LAYERS = ':modal, :popover-open, dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
const TOASTS = '[role=alert], [class*=toast i], [class*=snackbar i], [class*=notification i]';
const MAX_SHOWN = 2_000_000; // characters that are looked through for words
const MAX_TOAST = 300; // characters; what has more is no toast

function topLayer(active) {
  const shown = [...allMatches(document, LAYERS)].filter((el) => seenBox(el) && isShown(el));
  const inner = shown.filter((el) => !shown.some((other) => other !== el && el.contains(other)));
  const [modal, last] = [inner.findLast((el) => el.matches(':modal')), inner.at(-1)];
  return modal || last || climb(active, LAYERS) || climb(topAt(document, innerWidth / 2, innerHeight / 2), LAYERS);
}

function toast() {
  for (const el of allMatches(document, TOASTS)) {
    const text = contentIn(el);
    if (text && text.length < MAX_TOAST && text.trim() && seenBox(el) && isShown(el)) return clip(squeeze(seenText(el, MAX_TOAST)), 80);
  }
  return '';
}

function layerLine(el) {
  if (!el) return '';
  const role = roleOf(el) || (el.matches(':popover-open') ? 'popover' : 'dialog');
  const words = nameOf(el, role) || squeeze(seenText(el, 200));
  return `${role}${words ? ` ${quote(clip(words, 50))}` : ''} [ref=e${refOf(el)}]`;
}

// Its layer, toast and focus, each an empty string if there is none.
function standing() {
  const active = focused();
  const focus = active === rootElementOf(document) || active.tagName === 'BODY' || clobbered(active) ? '' : labelOf(active);
  const layer = topLayer(active);
  return { layer: layerLine(layer), toast: toast(), focus: layer === active ? '' : focus };
}

// Whether a person sees these words anywhere in the document and in the frames that can be looked into.
function showsText(words) {
  const wanted = low(words);
  const within = (inner) => inner && bodyOf(inner) && (squeeze(seenText(bodyOf(inner), MAX_SHOWN)).toLowerCase().includes(wanted)
    || [...allMatches(inner, 'iframe, frame')].some((frame) => within(inside(frame))));
  return Boolean(within(document));
}

Object.assign(globalThis.openchrome, {
  showsText: (words) => read(() => showsText(words), { next: 0 }).result,
   standing: (options) => read(standing, options),
});
