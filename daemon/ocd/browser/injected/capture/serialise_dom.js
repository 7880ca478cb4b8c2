// Whether a node is in what a box that can be opened does not show at the moment.
function isFolded(node) {
  const parent = parentElementOf(node);
  return parent !== null && isCollapsed(parent, node);
}

// The compact DOM: all elements and texts in order; what is not shown is counted, not told.
class DomSerializer extends Outline {
  element(el, above, depth) {
    const tag = el.tagName.toLowerCase();
    const view = isFolded(el) ? null : viewInside(el, above);
    const acts = view !== null && !view.inert && this.acts(el, roleOf(el), view, null);
    const ref = acts ? ` [ref=e${refOf(el)}]` : '';
    if (acts) this.refs++;
    if (!shadowRootOf(el)) suspectHost(el);
    const start = `<${tag}${this.attributes(el)}>${ref}`;
    if (!view || UNRENDERED_TAGS.has(el.tagName))
      this.put(depth, LEAF, start + this.unseen(el, tag));
    else if (depth >= this.maxDepth && el.firstElementChild) {
      this.put(
        depth,
        LEAF,
        `${start} (${el.querySelectorAll('*').length} elements below this depth)`,
      );
    } else if (tag === 'svg')
      this.put(depth, LEAF, `${start} (${el.querySelectorAll('*').length} elements)`);
    else this.open(el, view, depth, start);
  }

  unseen(el, tag) {
    const count = el.querySelectorAll('*').length;
    const length = el.textContent.length;
    if (tag === 'title') return ` ${squeeze(el.textContent)}`;
    if (!count && !length) return '';
    const why =
      tag === 'script' || tag === 'style' || tag === 'template' || tag === 'head'
        ? ''
        : 'not shown: ';
    return ` (${why}${count ? `${count} elements, ` : ''}${length} characters)`;
  }

  open(el, view, depth, start) {
    const at = this.lines.length;
    this.put(depth, LEAF, start);
    if (el.tagName === 'IFRAME' || el.tagName === 'FRAME') {
      this.inner(el, depth + 1);
      return;
    }
    if (shadowRootOf(el)) {
      this.put(depth + 1, LEAF, el.shadowRoot ? '#shadow-root' : '#shadow-root (closed)');
      this.nodes(shadowRootOf(el).childNodes, view, depth + 2);
    }
    this.nodes(shadowRootOf(el) ? this.slotted(el, depth + 1) : el.childNodes, view, depth + 1);
    // One text and nothing else stands on its element's line.
    if (this.lines.length === at + 2 && this.lines[at + 1][1] === TEXT) {
      this.lines[at][2] += ` ${this.lines.pop()[2]}`;
    }
  }

  slotted(el, depth) {
    const slotted = slottedChildren(el);
    const left = el.childNodes.length - slotted.length;
    if (left)
      this.put(depth, LEAF, `(not shown: ${left} ${left === 1 ? 'node' : 'nodes'} without a slot)`);
    return slotted;
  }

  nodes(nodes, view, depth) {
    if (++this.level <= MAX_DEPTH) {
      for (const node of nodes) {
        if (nodeTypeOf(node) === Node.ELEMENT_NODE) {
          if (clobbered(node)) {
            this.put(depth, LEAF, '<form> (its inputs are named like properties of elements)');
            this.nodes([...childNodesOf(node)], view, depth + 1);
          } else this.element(node, view, depth);
        } else if (nodeTypeOf(node) === Node.TEXT_NODE && node.data.trim()) {
          this.put(
            depth,
            TEXT,
            view.readable && !isFolded(node)
              ? markCoveredText(view.el, squeeze(node.data))
              : `(not shown: ${node.data.length} characters)`,
          );
        } else if (nodeTypeOf(node) === Node.COMMENT_NODE) {
          this.put(depth, LEAF, `(comment: ${node.data.length} characters)`);
        }
      }
    } else
      this.put(
        depth,
        TEXT,
        `(deeper elements) ${squeeze(nodes[0]?.parentElement?.innerText ?? '')}`,
      );
    this.level--;
  }

  inner(el, depth) {
    const doc = innerDocument(el);
    if (doc && rootElementOf(doc)) {
      this.put(depth, LEAF, `#document ${urlOf(doc)}`);
      this.document(doc, depth + 1);
    } else {
      this.frames.push(el);
      this.put(depth, FRAME, '');
    }
  }

  document(doc, depth) {
    this.element(rootElementOf(doc), null, depth);
  }

  attributes(el) {
    let words = '';
    for (const { name, value } of attributesOf(el)) {
      if (name === 'value' && el.type === 'password') words += ' value="(not shown)"';
      else if (name === 'value' && el.type === 'hidden' && el.tagName === 'INPUT')
        words += ` value="(not shown: ${value.length} characters)"`;
      else
        words +=
          value === '' ? ` ${name}` : ` ${name}="${shortenValue(value).replace(/"/g, '&quot;')}"`;
    }
    if (
      CONTROL_TAGS.has(el.tagName) &&
      el.type !== 'password' &&
      el.type !== 'file' &&
      el.type !== 'hidden'
    ) {
      if (el.value !== (el.getAttribute('value') ?? ''))
        words += ` .value="${shortenValue(el.value).replace(/"/g, '&quot;')}"`;
      if (el.checked && !el.hasAttribute('checked')) words += ' .checked';
    }
    if (el.attributes.length > MAX_ATTRIBUTES) words += ` … (${el.attributes.length} attributes)`;
    return words;
  }

  parts() {
    const result = { parts: [], depths: [] };
    let text = '';
    for (const [depth, kind, words] of this.lines) {
      if (kind === FRAME) {
        result.parts.push(text);
        result.depths.push(this.base + depth);
        text = '';
      } else text += `${'  '.repeat(this.base + depth)}${words}\n`;
    }
    result.parts.push(text);
    return result;
  }
}

function dom(options) {
  const root = scopeOf(options);
  if (!root) return null;
  const it = new DomSerializer({ ...options, filter: 'all' });
  const view = root === rootElementOf(document) ? null : viewOfParent(root);
  if (clobbered(root)) it.nodes([root], view, 0);
  else it.element(root, view, 0);
  pendingFrames = it.frames;
  return { ...it.parts(), refs: it.refs, hidden: 0 };
}

MARKING_READERS.add(dom);
Object.assign(globalThis.openchrome, { dom: (options) => runReader(dom, options) });
