// In the page's own world, before its scripts: links to other programs (`tel:`, `mailto:`, `zoommtg:`) are reported
// instead of followed. Chromium would start the program, or ask about it in a prompt that nobody sees and that takes
// all input of the tab. What an `<iframe src>` asks for cannot be prevented here. ownSchemes: those that Chromium shows
// itself, beside chrome:, chrome-error: and the like.
(name, ownSchemes) => {
  const tell = globalThis[name];
  delete globalThis[name];
  if (typeof tell !== 'function') return;
  const { apply } = Reflect;
  const { indexOf, slice, startsWith, toLowerCase, trim } = String.prototype;
  const { has } = Set.prototype;
  const own = new Set(ownSchemes);
  const isExternal = (address) => {
    const url = apply(trim, address, []);
    const end = apply(indexOf, url, [':']);
    const scheme = apply(toLowerCase, apply(slice, url, [0, end < 0 ? 0 : end]), []);
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) return false; // a relative address
    return !apply(has, own, [scheme]) && !apply(startsWith, scheme, ['chrome']);
  };

  globalThis.navigation?.addEventListener('navigate', (event) => {
    const { url } = event.destination;
    if (!event.cancelable || !isExternal(url)) return;
    event.preventDefault();
    tell(url);
  });

  // Where the link opens elsewhere, there is no document that hears of it.
  addEventListener(
    'click',
    (event) => {
      const link = event.composedPath().find((el) => el.localName === 'a' || el.localName === 'area');
      if (typeof link?.href !== 'string' || !link.target || link.target === '_self' || !isExternal(link.href)) return;
      event.preventDefault();
      tell(link.href);
    },
    true,
  );
  const open = Object.getOwnPropertyDescriptor(globalThis, 'open');
  if (typeof open?.value !== 'function') return;
  open.value = new Proxy(open.value, {
    apply(target, self, args) {
      if (typeof args[0] !== 'string' || !isExternal(args[0])) return apply(target, self, args);
      tell(args[0]);
      return null;
    },
  });
  Object.defineProperty(globalThis, 'open', open);
}
