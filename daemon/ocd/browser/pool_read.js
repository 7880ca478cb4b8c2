// Waits until the document is there and gives it as one object; null if it is not there in time.
async (mode, ms) => {
  const work = window.__OPENCHROME__;
  const later = work ? work.later : setTimeout;
  const start = performance.now();
  const pause = (time) => new Promise((done) => later(done, time));
  const left = () => ms - (performance.now() - start);

  const loaded = () => document.readyState === 'complete';
  const parsed = () => document.readyState !== 'loading';
  const event = (target, name, there) => there() || new Promise((done) => {
    target.addEventListener(name, () => done(), {once: true});
    later(done, ms);
  });
  await event(document, 'DOMContentLoaded', parsed);
  if (!parsed()) return null;
  if (mode !== 'dom') await event(window, 'load', loaded);

  // A page that is still at work, or has scripts and shows next to nothing yet, is given the time
  // to finish; a static page costs one turn of its event loop at most.
  const root = document.documentElement;
  const patience = () => {
    const body = document.body;
    if (!body || body.getElementsByTagName('*').length > 40) return 0;
    const shown = body.innerText.trim().length;
    if (shown === 0) return 1200;
    return shown < 40 && document.querySelector('script[src], script[type=module]') ? 600 : 0;
  };
  if (document.scripts.length || mode === 'idle') {
    let changed = 0;
    const observer = new MutationObserver(() => { changed = performance.now(); });
    if (root) observer.observe(root, {subtree: true, childList: true, characterData: true});
    await pause(0);
    const from = performance.now();
    const most = Math.min(left(), mode === 'idle' ? 10000 : 3000);
    const still = mode === 'idle' ? 500 : 60;
    const busy = () => work && work.busy();
    // Nothing to wait for, unless it was at work, or has changed, since it was loaded.
    let quiet = mode === 'idle' || changed || busy() ? from : -still;
    const hoped = patience();
    while (performance.now() - from < most) {
      const now = performance.now();
      if (busy()) quiet = now;
      const hoping = now - from < hoped && !changed;
      if (!hoping && now - Math.max(quiet, changed) >= still) break;
      await pause(15);
    }
    observer.disconnect();
  }

  const entry = performance.getEntriesByType('navigation')[0];
  const refresh = document.querySelector('meta[http-equiv="refresh" i]');
  const wait = refresh ? parseFloat(refresh.content) : NaN;
  return {
    url: location.href,
    status: entry ? entry.responseStatus : 0,
    type: document.contentType,
    title: document.title,
    links: Array.from(document.links, (link) => link.href),
    html: root ? (document.doctype ? '<!DOCTYPE html>' : '') + root.outerHTML : '',
    // An address in the page's own refresh, if it is to come at once.
    refresh: wait <= 2 && /url\s*=/i.test(refresh.content),
    heap: performance.memory ? performance.memory.usedJSHeapSize : 0,
  };
}
