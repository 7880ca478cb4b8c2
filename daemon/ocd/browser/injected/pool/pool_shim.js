// Runs before every document of a crawl's hidden tab, which draws no frames: what waits for a
// frame, for being seen or for an idle moment happens at once instead. It also counts the work
// that a page has started and not finished, so that pages without any need not be waited for.
(() => {
  const later = window.setTimeout.bind(window);
  const forget = window.clearTimeout.bind(window);
  const counted = new Set();
  const slow = new Set();
  const closed = [];
  const requests = new Map();
  let depth = 0;
  let number = 0;

  // A chain of timers that goes on for ever (an animation, a clock) counts for its first steps.
  const schedule = (run, delay) => {
    const level = depth + 1;
    if (level > 4 || delay > 2500) return later(run, delay);
    const waiting = delay > 600 ? slow : counted;
    const id = later(() => {
      waiting.delete(id);
      depth = level;
      try {
        run();
      } finally {
        depth = 0;
      }
    }, delay);
    waiting.add(id);
    return id;
  };
  const cancel = (id) => {
    counted.delete(id);
    slow.delete(id);
    forget(id);
  };

  window.setTimeout = function setTimeout(run, delay = 0, ...args) {
    if (typeof run !== 'function') return later(run, delay, ...args);
    return schedule(() => run.apply(window, args), Number(delay) || 0);
  };
  window.clearTimeout = function clearTimeout(id) {
    cancel(id);
  };
  window.requestAnimationFrame = function requestAnimationFrame(run) {
    return schedule(() => run(performance.now()), 8);
  };
  window.cancelAnimationFrame = function cancelAnimationFrame(id) {
    cancel(id);
  };
  window.requestIdleCallback = function requestIdleCallback(run) {
    return schedule(() => run({ didTimeout: false, timeRemaining: () => 40 }), 1);
  };
  window.cancelIdleCallback = function cancelIdleCallback(id) {
    cancel(id);
  };

  const begin = () => {
    const id = ++number;
    requests.set(id, performance.now());
    return () => {
      requests.delete(id);
    };
  };
  if (window.fetch) {
    const fetch_ = window.fetch;
    window.fetch = function fetch(...args) {
      const end = begin();
      const answer = fetch_.apply(this, args);
      answer.then(end, end);
      return answer;
    };
  }
  // An answer is there with its headers: its body is waited for, too.
  for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
    const read = window.Response && Response.prototype[name];
    if (!read) continue;
    Response.prototype[name] = {
      [name](...args) {
        const end = begin();
        const body = read.apply(this, args);
        body.then(end, end);
        return body;
      },
    }[name];
  }
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...args) {
    this.addEventListener('loadend', begin(), { once: true });
    return send.apply(this, args);
  };

  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(init) {
    const shadow = attach.call(this, init);
    if (shadow.mode === 'closed') closed.push([this, shadow]);
    return shadow;
  };

  // A hidden page cannot have pop-ups: it would wait for its new window for ever.
  window.open = function open() {
    return null;
  };

  const Native = window.IntersectionObserver;
  window.IntersectionObserver = class IntersectionObserver extends Native {
    #tell;
    constructor(tell, options) {
      super(tell, options);
      this.#tell = tell;
    }
    observe(target) {
      schedule(() => {
        const box = target.getBoundingClientRect();
        this.#tell.call(
          this,
          [
            {
              target,
              isIntersecting: true,
              isVisible: true,
              intersectionRatio: 1,
              boundingClientRect: box,
              intersectionRect: box,
              rootBounds: null,
              time: performance.now(),
            },
          ],
          this,
        );
      }, 0);
    }
  };

  Object.defineProperty(window, '__OPENCHROME__', {
    value: {
      later,
      closed, // shadow roots, with their hosts
      // Whether a timer is set that is too slow for a page that has something to show.
      expecting: () => slow.size > 0,
      // Requests that take longer than two seconds are held open on purpose (long polling).
      busy: () =>
        counted.size > 0 ||
        [...requests.values()].some((since) => performance.now() - since < 2000),
    },
  });
})();
