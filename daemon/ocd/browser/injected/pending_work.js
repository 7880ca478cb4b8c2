// In the page's own world, while an action lasts: the short timers that its listeners set, the frames
// that they ask for, and the messages by which they put off work. What they set in turn counts, too, a few times over. Nothing stays in the page.
(() => {
  const LONGEST_MS = 400; // timers beyond, and what they bring, are news for a later reading
  const KEPT_MS = 5000; // after which nobody comes to ask
  const FRAMES_MS = 60; // a page that draws nothing is not called back
  const DEEPEST = 3;
  const CAUSES = ['pointerover', 'pointermove', 'pointerdown', 'mousedown', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu',
    'wheel', 'scroll', 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change', 'submit', 'reset', 'paste', 'focusin', 'drop'];
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, performance } = window;
  const { prototype: port } = MessagePort;
  const { postMessage } = port;
  const echo = new MessageChannel(); // messages arrive in the order in which they were sent
  const own = { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame };
  const jobs = new Set();
  let end = performance.now() + LONGEST_MS;
  let caused = false; // whether listeners run, or what they left for the end of their turn
  let depth = 0; // how many jobs deep what runs was set
  let some = false;
  let idle = null;

  function listen(event) {
    if (event.isTrusted) end = performance.now() + LONGEST_MS;
    if (caused) return;
    caused = true;
    setTimeout.call(window, () => { caused = false; }, 0);
  }

  function finish(job) {
    if (jobs.delete(job) && !jobs.size) idle?.();
  }

  const counts = (callback, ms) => typeof callback === 'function' && (depth ? depth < DEEPEST : caused) && performance.now() + ms <= end;

  function noting(native, kind) {
    return new Proxy(native, {
      apply(_, self, [callback, ms, ...rest]) {
        if (!counts(callback, kind === 'timer' ? Number(ms) || 0 : 0)) return native.call(self, callback, ms, ...rest);
        const job = { kind, level: depth + 1 };
        const run = function (...given) {
          depth = job.level;
          try {
            return callback.apply(this, given);
          } finally {
            depth = 0;
            finish(job);
          }
        };
        job.id = native.call(self, run, ms, ...rest);
        jobs.add(job);
        some = true;
        return job.id;
      },
    });
  }

  const clearing = (native, kind) => new Proxy(native, {
    apply(_, self, [id]) {
      for (const job of jobs) if (job.id === id && job.kind === kind) finish(job);
      return native.call(self, id);
    },
  });

  const ours = {
    setTimeout: noting(setTimeout, 'timer'),
    clearTimeout: clearing(clearTimeout, 'timer'),
    requestAnimationFrame: noting(requestAnimationFrame, 'frame'),
    cancelAnimationFrame: clearing(cancelAnimationFrame, 'frame'),
  };

  const noteMessage = new Proxy(postMessage, {
    apply(_, self, given) {
      postMessage.apply(self, given);
      if (!caused && (!depth || depth >= DEEPEST)) return;
      jobs.add({ kind: 'message' });
      some = true;
      postMessage.call(echo.port1, null);
    },
  });
  echo.port2.onmessage = () => finish([...jobs].find((job) => job.kind === 'message'));

  function stop() {
    if (port.postMessage === noteMessage) port.postMessage = postMessage;
    echo.port1.close();
    for (const type of CAUSES) window.removeEventListener(type, listen, true);
    for (const name of Object.keys(ours)) if (window[name] === ours[name]) window[name] = own[name];
    jobs.clear();
  }

  function expire() {
    const left = end + KEPT_MS - performance.now();
    if (left > 0) setTimeout.call(window, expire, left);
    else stop();
  }

  for (const name of Object.keys(ours)) window[name] = ours[name];
  for (const type of CAUSES) window.addEventListener(type, listen, true);
  port.postMessage = noteMessage;
  expire();
  return {
    // Resolves when nothing is left to do, or it has taken too long: whether there was anything.
    async done() {
      if (jobs.size) {
        const most = [...jobs].some((job) => job.kind !== 'frame') ? end - performance.now() : FRAMES_MS;
        await new Promise((resolve) => {
          idle = resolve;
          setTimeout.call(window, resolve, Math.max(most, 0));
        });
      }
      stop();
      return some;
    },
  };
})()
