// What contracts state about a page: texts and counts by selector, and what the page took.

const MAX_EVIDENCE_TEXT = 2000000;

const withoutSpaces = (text) => text.replace(/\s+/g, '').toLowerCase();

function evidenceTextOf(el) {
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(tagOf(el)))
    return el.type === 'password' ? '' : String(el.value ?? '');
  if (UNRENDERED_TAGS.has(tagOf(el))) return textContentOf(el);
  const { innerText } = el;
  const shown = visibleTextOf(el, MAX_EVIDENCE_TEXT);
  // Its lines are told as the browser has them where it says the same.
  return !shadowRootOf(el) &&
    typeof innerText === 'string' &&
    withoutSpaces(innerText) === withoutSpaces(shown)
    ? innerText
    : squeeze(shown);
}

function evidence({ texts, counts }) {
  const found = { texts: {}, counts: {}, long: [] };
  if (isReadByParent()) return found;
  for (const selector of counts)
    found.counts[selector] = matchesEverywhere({ selector, pierce: true }).length;
  for (const selector of texts) {
    const all = matchesEverywhere({ selector, pierce: true });
    // null: nothing matches, which is not the same as an empty element.
    const text = all.length ? all.map(evidenceTextOf).join('\n') : null;
    if (text?.length > MAX_EVIDENCE_TEXT) found.long.push(selector);
    else found.texts[selector] = text;
  }
  return found;
}

// Entries that are told only to observers, who are given old ones, too.
function observedEntries(type) {
  return new Promise((resolve) => {
    let observer = null;
    const end = (entries) => {
      observer?.disconnect();
      clearTimeout(timer);
      resolve(entries);
    };
    const timer = setTimeout(() => end([]), 50);
    try {
      observer = new PerformanceObserver((list) => end(list.getEntries()));
      observer.observe({ type, buffered: true });
    } catch {
      end([]);
    }
  });
}

// Milliseconds since the navigation began; bytes and counts where the name says so; null: not known.
async function performanceMetrics() {
  const [shown, shifts] = await Promise.all([
    observedEntries('largest-contentful-paint'),
    observedEntries('layout-shift'),
  ]);
  const load = performance.getEntriesByType('navigation')[0] || {};
  const paints = Object.fromEntries(
    performance.getEntriesByType('paint').map((one) => [one.name, one.startTime]),
  );
  const resources = performance.getEntriesByType('resource');
  const round = (value) => (value > 0 ? Math.round(value * 10) / 10 : null);
  return {
    ttfb_ms: round(load.responseStart),
    response_end_ms: round(load.responseEnd),
    dom_interactive_ms: round(load.domInteractive),
    dom_content_loaded_ms: round(load.domContentLoadedEventEnd),
    load_ms: round(load.loadEventEnd),
    first_paint_ms: round(paints['first-paint']),
    fcp_ms: round(paints['first-contentful-paint']),
    lcp_ms: round(shown.at(-1)?.startTime),
    cls:
      Math.round(
        shifts.reduce((sum, one) => sum + (one.hadRecentInput ? 0 : one.value), 0) * 10000,
      ) / 10000,
    dom_nodes: allMatches(document, '*').length,
    resource_count: resources.length,
    transfer_bytes: resources.reduce(
      (sum, one) => sum + (one.transferSize || 0),
      load.transferSize || 0,
    ),
    js_heap_used_bytes: performance.memory?.usedJSHeapSize ?? null,
  };
}

// Resolves at the next change of the document, or after `most` milliseconds.
function nextChange(most) {
  return new Promise((resolve) => {
    const end = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(true);
    };
    const observer = new MutationObserver(end);
    const timer = setTimeout(end, most);
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
}

Object.assign(globalThis.openchrome, {
  evidence: (options) => runReader(evidence, options),
  performanceMetrics,
  nextChange,
  viewport: () => ({ width: innerWidth, height: innerHeight, scale: devicePixelRatio }),
});
