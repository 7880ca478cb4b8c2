// Where a document's fields for passwords are in its window: those of type password, those that once
// were (pages have buttons that show what was typed), and those that hold what one of them holds.
(() => {
  if (Object.hasOwn(globalThis, 'openchromePasswordFields')) return globalThis.openchromePasswordFields.boxes();

  const MAX_VALUES = 20;
  const MIN_LENGTH = 4; // characters that a value has if another field with it is covered
  // Not by their class: a frame's window may be that of the empty document before, whose classes are others.
  const isInput = (el) => Reflect.get(Element.prototype, 'localName', el) === 'input' && typeof el.type === 'string';
  const of = (name) => Reflect.get(Document.prototype, name, document);

  class PasswordFields {
    constructor() {
      this.known = new WeakSet();
      this.values = new Set();
      this.watched = new WeakSet();
      this.closed = new Set(); // shadow trees
      this.changes = new MutationObserver((records) => this.note(records));
    }

    note(records) {
      for (const { oldValue, target } of records) if (/^password$/i.test(oldValue ?? '')) this.known.add(target);
    }

    watch(root) {
      if (this.watched.has(root)) return;
      this.watched.add(root);
      this.changes.observe(root, { subtree: true, attributeFilter: ['type'], attributeOldValue: true });
    }

    *inputs(root) {
      this.watch(root);
      const all = root === document ? of('getElementsByTagName').call(document, '*') : root.querySelectorAll('*');
      for (const el of all) {
        if (isInput(el)) yield el;
        const inner = Reflect.get(Element.prototype, 'shadowRoot', el);
        if (inner) yield* this.inputs(inner);
      }
    }

    // Look into the closed shadow trees that hold these fields, from now on; whether any is new.
    adopt(fields) {
      const before = this.closed.size;
      for (const field of fields) {
        if (!isInput(field) || field.ownerDocument !== document) continue;
        const root = Reflect.apply(Node.prototype.getRootNode, field, []);
        if (root.mode === 'closed') this.closed.add(root);
      }
      return this.closed.size > before;
    }

    *everyInput() {
      yield* this.inputs(document);
      for (const root of this.closed) {
        if (root.isConnected) yield* this.inputs(root);
        else this.closed.delete(root);
      }
    }

    keep(value) {
      if (value.length < MIN_LENGTH) return;
      this.values.delete(value);
      this.values.add(value);
      if (this.values.size > MAX_VALUES) this.values.delete(this.values.values().next().value);
    }

    hides(field) {
      if (field.type === 'password') {
        this.known.add(field);
        this.keep(field.value);
      }
      return this.known.has(field) || this.values.has(field.value);
    }

    boxes() {
      this.note(this.changes.takeRecords());
      const { offsetLeft, offsetTop, scale } = visualViewport;
      const found = [];
      for (const field of [...this.everyInput()].filter((one) => this.hides(one))) {
        const { x, y, width, height } = field.getBoundingClientRect();
        if (width && height) found.push([(x - offsetLeft) * scale, (y - offsetTop) * scale, width * scale, height * scale]);
      }
      return found;
    }
  }

  globalThis.openchromePasswordFields = new PasswordFields();
  return globalThis.openchromePasswordFields.boxes();
})()
