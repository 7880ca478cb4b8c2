// Waits until the document is there and gives it as one object; null if it is not there in time.
// `scripted`: a script of ours runs in it, too. Unseen, and what it rests on, stand before this (see
// pool_tab.py).
return async (scripted, ms) => {
  const work = window.__OPENCHROME__;
  const later = work ? work.later : setTimeout;
  const start = performance.now();
  const pause = (time) => new Promise((done) => later(done, time));
  const left = () => ms - (performance.now() - start);

  const loaded = () => readyStateOf(document) === 'complete';
  if (!loaded()) {
    await new Promise((done) => {
      listenTo(window, 'load', () => done(), { once: true });
      later(done, ms);
    });
  }
  if (readyStateOf(document) === 'loading') return null;

  // A page that is still at work, or has scripts and shows next to nothing yet, is given the time
  // to finish; a static page costs one turn of its event loop at most.
  const root = rootElementOf(document);
  const shown = (elements) => {
    const body = bodyOf(document);
    const many = !body || body.getElementsByTagName('*').length > elements;
    return many ? Infinity : body.innerText.trim().length;
  };
  const patience = () => {
    const length = shown(40);
    if (length === 0) return 1200;
    return length < 40 && firstMatch(document, 'script[src], script[type=module]') ? 600 : 0;
  };
  // Whether a placeholder is all there is, and a timer is set that may replace it.
  const placeholder = () => work && work.expecting() && shown(60) < 120;
  if (scripted || scriptsIn(document).length) {
    let changed = 0;
    const observer = new MutationObserver(() => {
      changed = performance.now();
    });
    if (root) observer.observe(root, { subtree: true, childList: true, characterData: true });
    await pause(0);
    const step = 15;
    const most = 3000; // ms in which it may go on
    const still = 60; // ms without a change or work
    const busy = () => work && work.busy();
    // Nothing to wait for, however fast it came, unless it was at work, or has changed, since.
    let calm = changed || busy() ? 0 : Infinity;
    const grace = patience();
    // A renderer that gets no processor counts its own turns: the page has had no more of them.
    let last = performance.now();
    let spent = 0;
    while (spent < most && left() > 0) {
      if (busy() || changed >= last) calm = 0;
      const waits = (spent < grace && !changed) || (spent < 2500 && placeholder());
      if (!waits && calm >= still) break;
      last = performance.now();
      await pause(step);
      const turn = Math.min(performance.now() - last, step + 5);
      spent += turn;
      calm += turn;
    }
    observer.disconnect();
  }

  // Without frames no animation goes on: what fades in would never be there.
  const finish = () => {
    const moving = animationsIn(document);
    for (const animation of moving)
      try {
        animation.finish();
      } catch {
        /* it has no end */
      }
    return moving.length > 0;
  };
  const look = () => {
    const found = new HiddenMarker(work ? work.closed.length : 0);
    if (work) work.closed.forEach(([host, shadow]) => closedRoots.set(host, shadow));
    found.document(document);
    return found;
  };
  const source = (top, shadowRoots) => {
    const start = doctypeOf(document) ? '<!DOCTYPE html>' : '';
    if (!shadowRoots.length || !top.getHTML) return start + top.outerHTML;
    const shell = top.cloneNode(false).outerHTML;
    return `${start}${shell.slice(0, -7)}${top.getHTML({ shadowRoots })}</html>`;
  };
  const html = () => {
    if (!root) return { html: '', frames: [] };
    let found = { roots: [], frames: [] };
    try {
      found = look();
      if (found.hasHidden && finish()) found = look();
      found.mark();
    } catch {
      /* the page has bent the tools: then as it stands */
    }
    const frames = found.frames.map((doc) => [urlOf(doc), source(rootElementOf(doc), found.roots)]);
    return { html: source(root, found.roots), frames };
  };

  const entry = performance.getEntriesByType('navigation')[0];
  const refresh = firstMatch(document, 'meta[http-equiv="refresh" i]');
  const wait = refresh ? parseFloat(refresh.content) : NaN;
  return {
    url: location.href,
    status: entry ? entry.responseStatus : 0,
    type: contentTypeOf(document),
    title: pageTitleOf(document),
    links: Array.from(linksIn(document), (link) => link.href),
    // An address in the page's own refresh, if it is to come at once.
    refresh: wait <= 2 && /url\s*=/i.test(refresh.content),
    heap: performance.memory ? performance.memory.usedJSHeapSize : 0,
    ...html(),
  };
};
