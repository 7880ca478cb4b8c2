// The way of an outline through the page, from element to element; Outline says how each that is shown is told.

class OutlineWalk extends OutlineDraft {
  document(doc, depth) {
    const view = rootView(doc);
    if (!view) return;
    const outer = [this.active, this.special, this.owners, this.labelling, this.worded];
    this.active = deepActiveElement(doc);
    this.special = implicitActionsIn(doc);
    this.readRelations(doc);
    this.kids(rootElementOf(doc), view, depth, null);
    this.flush(depth);
    // What its owner was not asked for stands at the end.
    for (const owner of [...this.owners.by.keys()])
      if (this.owners.by.has(owner)) this.owned(owner, depth, null);
    this.flush(depth);
    if (this.labels.length) this.dropLabels();
    [this.active, this.special, this.owners, this.labelling, this.worded] = outer;
  }

  readRelations(doc) {
    this.owners = ownersIn(doc);
    this.labelling = this.onlyRefs ? EMPTY_SET : labelsIn(doc);
    this.worded = this.onlyRefs ? EMPTY_SET : wordedElementsIn(doc);
  }

  // Of a part of a document: what others own in it is told here, too.
  readRelationsWithin(root) {
    this.owners = ownersWithin(root);
    this.worded = this.onlyRefs ? EMPTY_SET : wordedElementsIn(documentOf(root));
  }

  // What an element owns that stands elsewhere.
  owned(owner, depth, control) {
    const kids = this.owners.by.get(owner);
    this.owners.by.delete(owner);
    for (const kid of kids) {
      if (kid.checkVisibility()) this.tryElement(kid, viewOfParent(kid), depth, control);
    }
  }

  kids(el, view, depth, control) {
    const tag = tagOf(el);
    if (++this.level > MAX_DEPTH) {
      this.words += ` ${el.innerText ?? ''} `;
    } else if (tag === 'TEXTAREA') {
      // Its value is told with it.
    } else if (view.preserves && !view.inline && !this.onlyRefs && !control) {
      this.preformatted(el, view, depth);
    } else {
      const fold = tag === 'DETAILS' && !el.open;
      const list = hasComposedChildren(el, tag) ? [...composedChildrenOf(el)] : null;
      const worded =
        !control && (tag === 'Q' || (this.worded.size > 0 && this.worded.has(el))) && view.readable;
      if (worded) this.addGenerated(el, '::before', view);
      let place = 0;
      for (
        let kid = list ? list[0] : firstChildOf(el);
        kid;
        kid = list ? list[++place] : nextSiblingOf(kid)
      ) {
        const type = nodeTypeOf(kid);
        if (fold && isCollapsed(el, kid)) continue;
        if (type === 3) {
          if (BLANK.test(kid.data) || view.readable) {
            if (!control && !this.onlyRefs) this.addText(el, kid.data);
          } else this.hidden += kid.data.length;
        } else if (type === 1 && !(this.owners.owned.size && this.owners.owned.has(kid))) {
          const kind = capitalTagOf(kid);
          if (kind === 'FORM' && clobbered(kid)) this.form(kid, view, depth, control);
          else this.tryElement(kid, view, depth, control, kind);
        }
      }
      if (this.owners.by.size && this.owners.by.has(el)) this.owned(el, depth, control);
      if (worded) this.addGenerated(el, '::after', view);
    }
    this.level--;
  }

  // One odd element must not cost the whole reading.
  tryElement(el, view, depth, control, tag = capitalTagOf(el)) {
    try {
      this.element(el, view, depth, control, tag);
    } catch (error) {
      if (error instanceof RangeError) {
        // too deep for the stack
        this.words += ` ${el.innerText ?? ''} `;
        return;
      }
      this.put(depth, LEAF, `(an element could not be read: ${error.message})`);
    }
  }

  // Preformatted text keeps its lines.
  preformatted(el, view, depth) {
    for (const kid of composedChildrenOf(el)) {
      if (isCollapsed(el, kid)) continue;
      if (nodeTypeOf(kid) === Node.ELEMENT_NODE) {
        this.element(kid, view, depth, null);
      } else if (nodeTypeOf(kid) === Node.TEXT_NODE && view.readable) {
        const [first, ...rest] = kid.data.split('\n');
        this.addText(el, first);
        for (const line of rest) {
          this.line(depth);
          this.words = line;
        }
      }
    }
    this.line(depth);
  }

  // `control` is the control we are in: its words are its name already.
  element(el, above, depth, control, tag = capitalTagOf(el)) {
    if (UNRENDERED_TAGS.has(tag)) return;
    const view = viewInside(el, above, tag);
    if (view !== null && control === null) {
      if (tag === 'TD' && this.plainCell(el, view, depth)) return;
      if (tag === 'A' && this.plainLink(el, view, depth)) return;
    }
    const ariaHidden = el.hasAttributes() && el.getAttribute('aria-hidden') === 'true';
    if (view && tag === 'MJX-CONTAINER' && this.mathJax(el, view, depth, control)) return;
    if (
      !view ||
      (ariaHidden &&
        (control
          ? !view.pointer || !this.isAriaHiddenButton(el, tag, view)
          : !(isVisibleButHidden(el, view) || this.isAriaHiddenButton(el, tag, view))))
    ) {
      this.hidden += el.textContent.trim().length;
    } else if (ariaHidden && !this.ariaHidden && !isIconWord(el, el.textContent))
      this.ariaHiddenElement(el, tag, view, depth);
    else this.shownElement(el, tag, view, depth, control);
  }

  // A formula of MathJax, which takes the focus for its own menu alone. Returns whether it is one.
  mathJax(el, view, depth, control) {
    const text = textOfMathJax(el);
    if (text === '' || control) return text !== '';
    if (getComputedStyle(el).display === 'block') this.flush(depth);
    if (view.readable && !this.onlyRefs) this.addText(el, text);
    return true;
  }

  // A cell without attributes that holds words alone, as most of a large table: what it is and does
  // needs no further questions. Returns whether it is one.
  plainCell(el, view, depth) {
    if (this.onlyRefs || el.hasAttributes()) return false;
    const text = onlyTextOf(el);
    if (
      text === null ||
      view.pointer ||
      view.host ||
      view.preserves ||
      this.special.has(el) ||
      this.labelling.has(el) ||
      (this.worded.size > 0 && this.worded.has(el)) ||
      tableRole(parentElementOf(el)) !== ''
    )
      return false;
    if (this.words) this.flush(depth);
    this.lines.push([depth, BOX, 'cell']);
    const { data } = text;
    if (view.readable || BLANK.test(data)) {
      const words = squeeze(markCoveredText(el, data));
      if (words) this.lines.push([depth + 1, TEXT, words]);
    } else this.hidden += data.length;
    return true;
  }

  // Whether a person can press what assistive software is not told of: a button, or an icon that acts.
  isAriaHiddenButton(el, tag, view) {
    if (tag === 'SVG') suspectDrawing(el);
    const { width, height } = boundingBoxOf(el);
    if (!view.visible || view.inert || width < MIN_DRAWN / 2 || height < MIN_DRAWN / 2)
      return false;
    if (
      tag !== 'BUTTON' &&
      el.getAttribute('role') !== 'button' &&
      (width > MAX_ICON ||
        height > MAX_ICON ||
        !(this.special.has(el) || (view.pointer && startsPointerCursor(el, view))))
    )
      return false;
    return !isCutAway(el);
  }

  // What is seen although assistive software is not told of it.
  ariaHiddenElement(el, tag, view, depth) {
    if (isBehindDialog(el)) {
      this.hidden += el.textContent.trim().length;
      return;
    }
    const formula = formulaDrawnBy(el);
    if (formula !== null) {
      if (view.readable && !this.onlyRefs) this.addText(el, formulaText(formula));
      return;
    }
    const words = view.inline && el.querySelector(INTERACTIVE_SELECTOR) === null;
    if (!words) this.flush(depth);
    const before = this.words;
    let at = this.lines.length;
    this.words = '';
    this.ariaHidden = true;
    this.shownElement(el, tag, view, depth, null);
    this.ariaHidden = false;
    if (words && this.lines.length === at) {
      this.words =
        BLANK.test(this.words) || this.isPartOfName(depth, squeeze(this.words))
          ? before
          : `${before}${ARIA_HIDDEN_MARK} ${this.words}`;
      return;
    }
    this.flush(depth);
    if (!BLANK.test(before) && !this.onlyRefs)
      this.lines.splice(at++, 0, [depth, TEXT, squeeze(before)]);
    if (
      this.lines.length === at + 1 &&
      this.lines[at][1] === TEXT &&
      this.isPartOfName(depth, this.lines[at][2])
    ) {
      this.lines.length = at;
      return;
    }
    for (const line of this.lines.slice(at))
      if (line[0] === depth) line[2] += ` ${ARIA_HIDDEN_MARK}`;
    if (this.lines.length === at + 1 && this.lines[at][1] === TEXT)
      this.labels.push(this.lines[at]);
  }

  inline(el, view, depth, control) {
    this.kids(el, view, depth, control);
  }

  block(el, view, depth, control) {
    if (control) {
      this.kids(el, view, depth, control);
      return;
    }
    this.flush(depth);
    this.kids(el, view, depth, null);
    this.flush(depth);
  }

  // A form whose inputs hide its properties.
  form(el, above, depth, control) {
    const view = formView(el, above);
    const name = clobberedFormName(el);
    if (view === null) this.hidden += textContentOf(el).trim().length;
    else if (!name || this.onlyRefs) this.block(el, view, depth, control);
    else {
      this.flush(depth);
      this.put(depth, BOX, `form ${quote(name)}`);
      this.block(el, view, depth + 1, control);
    }
  }
}
