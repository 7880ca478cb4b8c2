// In the page's own world, while an action lasts: the short timers that its listeners set, the frames
// that they ask for, and the messages by which they put off work. What they set in turn counts, too, a few times over.
// Their functions are replaced by proxies only while such work runs. Clocks that the page has replaced
// may stand still: what is decided here does not hang on them, and whoever waits has a bound of his own.
(() => {
  const MAX_MS = 400; // timers beyond, and what they bring, are news for a later reading
  const PATIENT_MS = 800; // for what is written into a field, which pages check when nobody has typed for a while
  const HELD_MS = 600; // what a press may have to be held for before it is the beginning of a drag
  const KEPT_MS = 5000; // after which nobody comes to ask
  const DEEPEST = 3;
  const CAUSES = ['pointerover', 'pointermove', 'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu',
    'wheel', 'scroll', 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change', 'submit', 'reset', 'paste', 'focus', 'focusin', 'drop', 'dragend', 'touchend'];
  const { setTimeout, performance, Proxy } = window;
  const { apply, getOwnPropertyDescriptor } = Reflect;
  // A page that draws nothing is not called back; one that is seen is, by a busy machine late.
  const hidden = getOwnPropertyDescriptor(Document.prototype, 'hidden')?.get; // a page may replace it
  const FRAMES_MS = hidden && apply(hidden, document, []) ? 60 : 300;
  const { prototype: port } = MessagePort;
  const { postMessage } = port;
  const echo = new MessageChannel(); // messages arrive in the order in which they were sent
  const send = (words) => apply(postMessage, echo.port1, [words]);
  const jobs = new Set();
  let watching = true;
  let limit = MAX_MS;
  let currentLimit = limit;
  let end = performance.now() + currentLimit;
  let inListener = false; // whether listeners run, or microtasks of theirs
  let depth = 0; // of the job that runs: how many jobs set each other before it
  let hadWork = false;
  let onIdle = null;

  const counting = () => watching && (depth ? depth < DEEPEST : inListener);
  const isDueSoon = (ms = 0) => /^(?:number|string)$/.test(typeof ms) && performance.now() + (Number(ms) || 0) <= end;

  function finish(job) {
    if (jobs.delete(job) && !jobs.size) onIdle?.();
  }

  function begin(job) {
    jobs.add(job);
    hadWork = true;
  }

  const noting = (kind) => (native, self, given) => {
    const [callback, ms] = given;
    if (!counting() || typeof callback !== 'function' || !isDueSoon(kind === 'timer' ? ms : 0)) return apply(native, self, given);
    const job = { kind, level: depth + 1 };
    const run = function (...passed) {
      const before = depth;
      depth = job.level;
      replace();
      try {
        return apply(callback, this, passed);
      } finally {
        depth = before;
        if (!inListener && !depth) restore();
        finish(job);
      }
    };
    job.id = apply(native, self, [run, ...given.slice(1)]);
    begin(job);
    return job.id;
  };

  const clearing = (kind) => (native, self, given) => {
    for (const job of jobs) if (job.kind === kind && String(job.id) === String(given[0])) finish(job);
    return apply(native, self, given);
  };

  function sending(native, self, given) {
    const sent = apply(native, self, given);
    if (counting()) {
      begin({ kind: 'message' });
      send('sent');
    }
    return sent;
  }

  // As text they are what stood there before, for a listener that looks.
  const originals = new WeakMap();
  const spelling = (native, self, given) => apply(native, originals.get(self) ?? self, given);

  const replaced = [
    [window, 'setTimeout', noting('timer')],
    [window, 'clearTimeout', clearing('timer')],
    [window, 'requestAnimationFrame', noting('frame')],
    [window, 'cancelAnimationFrame', clearing('frame')],
    [port, 'postMessage', sending],
    [Function.prototype, 'toString', spelling],
  ].map(([owner, name, handler]) => ({ owner, name, handler, native: null, proxy: null }));

  // Two watches may be at work at once, and lay their proxies over each other's: what is under one is known by a property
  // that no page asks for, so that each lies there once, and none that is over.
  const LAYER = '\0openchrome: pending work';
  const isOver = () => !watching;
  const layerOf = (one) => (typeof one === 'function' ? one[LAYER] : undefined);

  function withoutEnded(one) {
    let at = one;
    for (let layer = layerOf(at); layer?.isOver(); layer = layerOf(at)) at = layer.inner;
    return at;
  }

  function lies(proxy, top) {
    for (let at = top; at; at = layerOf(at)?.inner) if (at === proxy) return true;
    return false;
  }

  function layOver(one, inner, handler) {
    const layer = { inner, isOver };
    const proxy = new Proxy(inner, {
      apply: handler,
      get: (target, name) => (name === LAYER ? layer : target[name]),
    });
    originals.set(proxy, inner);
    Object.assign(one, { native: inner, proxy });
  }

  function replace() {
    if (!watching) return;
    for (const one of replaced) {
      const its = getOwnPropertyDescriptor(one.owner, one.name);
      if (!its?.writable || typeof its.value !== 'function' || (one.proxy && lies(one.proxy, its.value))) continue;
      const inner = withoutEnded(its.value);
      if (inner !== one.native) layOver(one, inner, one.handler);
      one.owner[one.name] = one.proxy;
    }
  }

  // What the page has put there meanwhile stays.
  function restore() {
    for (const { owner, name, native, proxy } of replaced) if (proxy && owner[name] === proxy) owner[name] = withoutEnded(native);
  }

  function listen(event) {
    if (event.timeStamp > end + KEPT_MS) stop();
    if (!watching) return;
    if (event.isTrusted) end = performance.now() + currentLimit;
    if (inListener) return;
    inListener = true;
    replace();
    send('turn');
  }

  echo.port2.onmessage = ({ data }) => {
    if (data === 'sent') finish([...jobs].find((job) => job.kind === 'message'));
    else inListener = false;
    if (!inListener && !depth) restore();
  };

  function stop() {
    watching = false;
    restore();
    for (const type of CAUSES) window.removeEventListener(type, listen, true);
    jobs.clear();
    echo.port1.close();
    onIdle?.();
  }

  // When nothing is left to do, after `most` ms at the latest.
  const waitIdle = (most) => new Promise((resolve) => {
    onIdle = resolve;
    apply(setTimeout, window, [resolve, Math.max(most, 0)]);
  });

  for (const type of CAUSES) window.addEventListener(type, listen, true);
  return {
    stop,
    // Before an action whose work is waited for longer.
    withLongerLimit() {
      limit = currentLimit = PATIENT_MS;
      end = performance.now() + currentLimit;
      return this;
    },
    // Before a press that is held: timers count that wait until it was held long enough.
    beginHold() {
      currentLimit = HELD_MS;
    },
    // Resolves when the press was held as long as its listeners want.
    async waitHeld() {
      if ([...jobs].some((job) => job.kind === 'timer')) await waitIdle(end - performance.now());
      currentLimit = limit;
    },
    // Whether there was any work, if none is left; else undefined.
    resultIfIdle() {
      if (jobs.size) return undefined;
      stop();
      return hadWork;
    },
    // Resolves when nothing is left to do, or it has taken too long.
    async waitDone() {
      if (jobs.size) {
        const most = [...jobs].some((job) => job.kind !== 'frame') ? end - performance.now() : FRAMES_MS;
        await waitIdle(most);
      }
      stop();
    },
  };
})()
