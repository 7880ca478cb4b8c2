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

  // What the page replaces later is not called: an error in here would be one of the page.
  const { composedPath, preventDefault } = Event.prototype;
  const getter = (type, key) => Object.getOwnPropertyDescriptor(type.prototype, key).get;
  const isCancelable = getter(Event, 'cancelable');
  const kindOf = getter(Node, 'nodeType');
  const nameOf = getter(Element, 'localName');
  const namespaceOf = getter(Element, 'namespaceURI');
  const linkKind = (type) => ({ href: getter(type, 'href'), target: getter(type, 'target') });
  const links = { __proto__: null, a: linkKind(HTMLAnchorElement), area: linkKind(HTMLAreaElement) };
  const prevent = (event, url) => {
    apply(preventDefault, event, []);
    tell(url);
  };

  if (globalThis.navigation) {
    const destinationOf = getter(NavigateEvent, 'destination');
    const urlOf = getter(NavigationDestination, 'url');
    navigation.addEventListener('navigate', (event) => {
      const url = apply(urlOf, apply(destinationOf, event, []), []);
      if (apply(isCancelable, event, []) && isExternal(url)) prevent(event, url);
    });
  }

  // Where the link opens elsewhere, there is no document that hears of it.
  const linkAt = (node) =>
    apply(kindOf, node, []) === 1 && apply(namespaceOf, node, []) === 'http://www.w3.org/1999/xhtml'
      ? links[apply(nameOf, node, [])]
      : undefined;
  addEventListener(
    'click',
    (event) => {
      const path = apply(composedPath, event, []);
      const end = path.length - 1; // the window
      let at = 0;
      while (at < end && linkAt(path[at]) === undefined) at++;
      if (at >= end) return;
      const { href, target } = linkAt(path[at]);
      const url = apply(href, path[at], []);
      const opens = apply(target, path[at], []);
      if (opens && opens !== '_self' && isExternal(url)) prevent(event, url);
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
