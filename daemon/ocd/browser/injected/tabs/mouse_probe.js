// Whether the page hears of the mouse. Called with the mouse's place, it begins to listen and returns a place near it
// where no frame gets the mouse instead, null for none; called without, it returns whether the mouse was heard since.
(...place) => {
  const EVENTS = ['pointermove', 'mousemove'];
  const FRAMES = 'iframe, frame, object, embed';
  const at = Reflect.get(Document.prototype, 'elementFromPoint', document);
  const takes = ([x, y]) => {
    const el = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight ? at.call(document, x, y) : null;
    return el !== null && !el.matches(FRAMES);
  };
  const probe = globalThis.openchromeMouseProbe;
  if (probe) for (const type of EVENTS) removeEventListener(type, probe, true);
  if (!place.length) return Boolean(probe?.heard);

  const [x, y] = place;
  const parts = [1, 3, 5, 7].map((part) => part / 8);
  const grid = parts.flatMap((down) => parts.map((across) => [innerWidth * across, innerHeight * down]));
  const found = [[x + 1, y], [x - 1, y], ...grid].find(takes) ?? null;
  const listener = (event) => {
    if (event.isTrusted) listener.heard = true;
  };
  if (found) {
    globalThis.openchromeMouseProbe = listener;
    for (const type of EVENTS) addEventListener(type, listener, true);
  }
  return found;
}
