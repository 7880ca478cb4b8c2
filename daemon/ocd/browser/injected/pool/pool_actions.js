// What a crawl does on a page before it is read: one action, within a time. Answers why it could not
// be done; '' if it was. documents.js stands before this (see pool_tab.py).

const tellScroll = methodOf(EventTarget.prototype, 'dispatchEvent');
const SCROLL_MS = 1000; // in which a page that loads more at its end has begun to grow

// Calls `look` now and after every change of the document until it gives something, or time is up.
function whenFound(look, ms) {
  const found = look();
  if (found || ms <= 0) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = (value) => {
      watcher.disconnect();
      clearTimeout(timer);
      resolve(value);
    };
    const watcher = new MutationObserver(() => {
      const now = look();
      if (now) end(now);
    });
    watcher.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    const timer = setTimeout(() => end(look()), ms);
  });
}

async function scrollDown(times, end) {
  for (let left = times; left > 0 && Date.now() < end; left--) {
    const page = rootScrollerOf(document) || rootElementOf(document);
    const height = page.scrollHeight;
    scrollTo({ top: height, behavior: 'instant' });
    // A page that is never drawn is told nothing of its own scrolling.
    tellScroll(document, new Event('scroll', { bubbles: true }));
    const wait = Math.min(SCROLL_MS, end - Date.now());
    if (!(await whenFound(() => page.scrollHeight > height, wait))) return;
  }
}

return async (action, ms) => {
  const selector = action.wait_for || action.click;
  if (!selector) {
    await scrollDown(action.scroll, Date.now() + ms);
    return '';
  }
  try {
    firstMatch(document, selector);
  } catch {
    return 'it is not a valid selector';
  }
  const found = await whenFound(() => firstMatch(document, selector), ms);
  if (!found) return 'nothing matches it in time';
  if (action.click) {
    found.scrollIntoView({ block: 'center', behavior: 'instant' });
    found.click();
  }
  return '';
};
