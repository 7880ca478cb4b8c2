// Scrolling through a list until something in it shows: virtual lists hold only what is in sight.

const RENDER_MS = 60; // without a change, after which a list has drawn what was scrolled to
const MAX_RENDER_MS = 1000;
const MORE_MS = 1500; // in which a list that ends may get more

const scrollBoxes = new WeakMap(); // that is scrolled, by the element that was meant: one for all of the way

function scrollBoxFor(el, across, begins) {
  const known = begins ? null : scrollBoxes.get(el);
  const box = known?.isConnected ? known : scrollBoxOf(el, across);
  scrollBoxes.set(el, box);
  return box;
}

// What fits all the words in the box that an element scrolls with, brought into sight; null if nothing does.
function scrollToMatch(el, across, options) {
  const box = scrollBoxFor(el, across, options.begins);
  const whole = box === rootScrollerOf(documentOf(box));
  const words = wordsOf(options.query);
  // Row 5 is not meant by Row 54.
  const numbered = (one) => !lacksNumbers(words, wordsOf(`${one.name} ${textContentOf(one.el)}`));
  const fits = (one) =>
    one.score >= ALL_WORDS && (whole || nodeContains(box, one.el)) && numbered(one);
  const found = rankMatches({ ...options, among: 'all' }).find(fits);
  if (!found) return null;
  found.el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  return describeMatches([found], { ...options, limit: 1 })[0];
}

// Resolves once nothing has changed in the box for a while, or the time is over.
function waitRendered(box) {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      clearTimeout(quiet);
      quiet = setTimeout(end, RENDER_MS);
    });
    const end = () => {
      observer.disconnect();
      clearTimeout(quiet);
      clearTimeout(most);
      resolve();
    };
    let quiet = setTimeout(end, RENDER_MS);
    const most = setTimeout(end, MAX_RENDER_MS);
    observer.observe(box, { subtree: true, childList: true, characterData: true });
  });
}

// Scrolls on by most of the box; at its end it is given time to grow. `ended`: it did not.
async function scrollOn(el, across, way) {
  const box = scrollBoxFor(el, across, false);
  const size = () => (across ? box.scrollWidth : box.scrollHeight);
  const step = way * SCREEN_SHARE * (across ? box.clientWidth : box.clientHeight);
  const place = () => (across ? box.scrollLeft : box.scrollTop);
  const [before, length] = [place(), size()];
  box.scrollBy({ left: across ? step : 0, top: across ? 0 : step, behavior: 'instant' });
  if (!areScriptsEnabled())
    return { ...scrollPosition(box, across, way), ended: place() === before };
  await waitRendered(box);
  const stop = performance.now() + MORE_MS;
  while (place() === before && size() <= length && performance.now() < stop)
    await waitRendered(box);
  return { ...scrollPosition(box, across, way), ended: place() === before && size() <= length };
}

const SCREEN_SHARE = 0.8; // what is left of the last screen stays in sight

Object.assign(globalThis.openchrome, {
  scrollOn,
  showIn: (el, across, options) => runReader(() => scrollToMatch(el, across, options), options),
});
