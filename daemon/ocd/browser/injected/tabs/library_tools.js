// Offers to the browser the tools that a library of the page keeps in a navigator.modelContext of its
// own: Chromium has only document.modelContext. Again whenever asked, as the library has them now.
(async () => {
  const MAX_LISTED = 200;
  const OFFERED = Symbol.for('openchrome.offeredTools');

  // How a library lists and calls its tools; null if it can neither.
  const reach = (library, testing) => {
    if (typeof library.listTools === 'function' && typeof library.callTool === 'function') {
      return { list: () => library.listTools(), call: (name, input) => library.callTool({ name, arguments: input }) };
    }
    if (typeof library.listTools === 'function' && typeof library.executeTool === 'function') {
      return { list: () => library.listTools(), call: (name, input) => library.executeTool(name, input) };
    }
    if (typeof testing?.listTools === 'function' && typeof testing.executeTool === 'function') {
      const call = async (name, input) => JSON.parse(await testing.executeTool(name, JSON.stringify(input)) ?? 'null');
      return { list: () => testing.listTools(), call };
    }
    return null;
  };

  const schemaOf = ({ inputSchema }) => (typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema);

  const offer = async (browser, offered, tool, call) => {
    const { name, description, annotations } = tool;
    const inputSchema = schemaOf(tool);
    const words = JSON.stringify([description, inputSchema, annotations]);
    if (offered.get(name)?.words === words) return;
    offered.get(name)?.taken.abort();
    const taken = new AbortController();
    const about = { name, description, ...(inputSchema && { inputSchema }), ...(annotations && { annotations }) };
    await browser.registerTool({ ...about, execute: (input) => call(name, input) }, { signal: taken.signal });
    offered.set(name, { words, taken });
  };

  const sync = async (view) => {
    const browser = Reflect.getOwnPropertyDescriptor(view.Document.prototype, 'modelContext')?.get?.call(view.document);
    const library = view.navigator.modelContext;
    if (!browser || !library || library === browser) return;
    const tools = reach(library, view.navigator.modelContextTesting);
    const listed = tools?.list();
    if (!Array.isArray(listed)) return;
    if (!view[OFFERED]) Object.defineProperty(view, OFFERED, { value: new Map() });
    const offered = view[OFFERED];
    const names = new Set(listed.map(({ name }) => name));
    for (const [name, { taken }] of offered) {
      if (names.has(name)) continue;
      taken.abort();
      offered.delete(name);
    }
    // Some libraries have offered theirs already: these are refused. A bad one must not hide the others.
    for (const tool of listed.slice(0, MAX_LISTED)) await offer(browser, offered, tool, tools.call).catch(() => null);
  };

  // Windows of other origins cannot be looked into; most are targets of their own.
  const views = [window];
  for (let i = 0; i < views.length && i < MAX_LISTED; i++) {
    const { length } = views[i];
    for (let n = 0; n < length && n < MAX_LISTED; n++) {
      try {
        if (views[i][n].document) views.push(views[i][n]);
      } catch {
        continue;
      }
    }
  }
  for (const view of views) await sync(view);
})()
