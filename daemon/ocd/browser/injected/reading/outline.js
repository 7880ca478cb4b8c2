// The outline: one pass over what is shown, one line for each thing that matters. How each is told.

class Outline extends OutlineWalk {
  shownElement(el, tag, view, depth, control) {
    if (
      mayHostShadow(tag)
        ? !shadowRootOf(el)
        : !control && EMPTY_TARGETS.has(tag) && firstChildOf(el) === null
    )
      suspectHost(el);
    if (tag === 'BR') {
      this.words += ' ';
      return;
    }
    if (
      el !== this.root &&
      (CAPTIONS[tag]?.(el) || (this.labelling.size > 0 && this.labelling.has(el)))
    ) {
      this.caption(el, tag, view, depth);
      return;
    }
    const given = roleOf(el);
    // A form without a name is no landmark, and its line would say nothing.
    const role = given === 'none' || (given === 'form' && !hasName(el)) ? '' : given;
    const acts = !view.inert && this.acts(el, role, view, control);
    if (acts && tag.includes('-')) {
      if (role === '') suspectCustom(el, tagOf(el));
      this.noteState(el);
    }
    if (tag === 'SVG' && !acts && !control) suspectDrawing(el);
    if (tag === 'SVG' && !el.hasAttribute('role') && !acts) this.drawing(el, view, depth, control);
    else if (LEAF_ROLES.has(role) && tag !== 'DETAILS')
      this.leaf(el, role, view, depth, acts, control);
    else if (role === 'math' && !acts && !control && (hasLabel(el) || isPlainFormula(el)))
      this.formula(el, view, depth);
    else if (role === 'iframe') this.frame(el, depth);
    else if (role === 'heading') this.heading(el, view, depth, acts, control);
    else if (CONTAINER_ROLES.has(role) || acts) this.box(el, role, view, depth, acts, control);
    else if (!control && el.hasAttributes() && hasOnlyTooltip(el, view)) this.tip(el, view, depth);
    else if (view.inline) this.inline(el, view, depth, control);
    else this.block(el, view, depth, control);
    if (tag === 'IMG' && el.useMap && view.visible && !view.inert)
      this.areas(el, depth + (this.onlyRefs || !nameOf(el, 'img') ? 0 : 1));
  }

  noteState(el) {
    noteStated(el);
  }

  // Labels, legends and captions are told as names of what they belong to.
  caption(el, tag, view, depth) {
    const owner = tag === 'LABEL' ? el.control : null;
    if (owner && !isControlReachable(owner, el) && !hasStandIn(el, owner)) {
      // A control that only its label shows: the label's ref acts on it.
      const role = roleOf(owner);
      this.flush(depth);
      this.refs++;
      const line = `${role} ${quote(nameOf(owner, role))} [ref=e${refOf(el)}]`;
      if (!view.inert)
        this.put(
          depth,
          LEAF,
          line + statesOf(owner, role, this.active) + detailOf(owner, role, '', this.root),
        );
    }
    this.block(
      el,
      view,
      depth,
      owner &&
        hasName(owner) &&
        showsMoreThan(el, nameOf(owner, roleOf(owner)), new NameComputation(owner))
        ? null
        : el,
    );
  }

  // What a person learns of a thing without words: the dot of a state, a bar.
  tip(el, view, depth) {
    if (!view.inline) this.flush(depth);
    this.words += ` (${squeeze(el.getAttribute('title'))}) `;
    if (!view.inline) this.flush(depth);
  }

  // A formula in the line that it stands in, in the words that its author has put it into.
  formula(el, view, depth) {
    if (!view.inline) this.flush(depth);
    if (hasLabel(el)) {
      if (view.visible) this.words += ` math ${quote(nameOf(el, 'math'))} `;
    } else if (!view.readable) this.hidden += textContentOf(el).trim().length;
    else if (!this.onlyRefs) this.addText(el, formulaText(el));
    if (!view.inline) this.flush(depth);
  }

  acts(el, role, view, control) {
    if (!view.visible) return false;
    const tag = el.tagName;
    if (tag === 'INPUT' && el.type === 'hidden') return false;
    if (tag === 'OPTION' || tag === 'OPTGROUP') return false;
    if (WIDGETS.has(role)) return true;
    if (tag === 'VIDEO' || tag === 'AUDIO') return el.controls;
    if (tag === 'CANVAS') return el.offsetWidth >= MIN_DRAWN && el.offsetHeight >= MIN_DRAWN;
    if (view.host) return true;
    if (el.hasAttributes()) {
      if (el.hasAttribute('onclick')) return true;
      if (el.hasAttribute('tabindex') && el.tabIndex >= 0 && tag !== 'BODY')
        return !isFocusGuard(el);
    }
    if (control) return isCloserIn(control, el);
    return (
      (view.pointer && startsPointerCursor(el, view)) ||
      (role === 'gridcell' && isPictureCell(el)) ||
      this.special.has(el)
    );
  }

  // Lines of single elements

  head(el, role, name, acts) {
    let line = role;
    if (name) line += ` ${quote(name)}`;
    else if (acts && !isNamedBeside(el, role, true))
      line += (role === 'file' ? ` ${quote(chooserText(el))}` : '') + hintIfWordless(el, role);
    if (acts) {
      this.refs++;
      line += ` [ref=e${ROLELESS_WORDS.has(role) ? refOf(el) : refOf(el, role, name || undefined)}]`;
    }
    return line + statesOf(el, role, this.active);
  }

  detail(el, role, name) {
    const words = detailOf(el, role, name, this.root, this.optionLists);
    return role === 'link' && words.endsWith('…') ? this.queryOnce(words) : words;
  }

  // An address whose query is cut: once that has been told, with none of it.
  queryOnce(words) {
    const from = words.indexOf('?') + 1;
    if (from === 0) return words;
    if (this.queries.has(words)) return `${words.slice(0, from)}…`;
    this.queries.add(words);
    return words;
  }

  leaf(el, role, view, depth, acts, control) {
    const name = nameOf(el, role, view.style);
    if (role === 'img' && !acts && (!name || control)) return; // a control's name has it
    if ((el.tagName === 'OPTION' && el !== this.root) || !view.visible) return;
    if ((this.onlyRefs && !acts) || (role === 'button' && drawsBoxOfLabel(el))) return;
    this.flush(depth);
    if (role === 'canvas') this.dropCanvasBelow(el);
    this.lastLeaf = el;
    const at = this.lines.length;
    this.put(depth, LEAF, this.head(el, role, name, acts) + this.detail(el, role, name));
    if (CONTROL_TAGS.has(el.tagName) || role === 'img' || FALLBACK_TAGS.has(tagOf(el))) return;
    // Only further controls and pictures inside a control are told of.
    const inner = depth + (this.onlyRefs ? 0 : 1);
    const value = FIELDS.has(role) ? squeeze(valueOf(el, role)) : null;
    const shown =
      value !== null &&
      (value === squeeze(textContentOf(el)) ||
        (value !== '' && (shadowRootOf(el) !== null || labelsInside(el).length > 0)));
    const told =
      shown || role === 'textbox' || role === 'video' || role === 'audio' || !hidesWords(el, name);
    const around = control !== null && control.control === el ? null : control; // not its own label
    this.kids(el, view, inner, told ? control || el : around);
    this.flush(inner);
    if (WRAPPING_ITEM.test(role)) this.joinItem(at);
    const words = this.lines.length > at + 1 && this.hasOneBelow(at) ? this.mergedLine(at) : '';
    if (words) {
      this.refs--;
      this.joinBelow(at, [depth, LEAF, words]);
    } else if (role === 'combobox') this.joinHeldField(el, at);
  }

  // Layers of one drawing are canvases in one place: the one on top is told, which gets what is done there.
  dropCanvasBelow(el) {
    const below = this.lastLeaf;
    if (below?.tagName !== 'CANVAS' || !/^canvas\b/.test(this.lines.at(-1)?.[2] ?? '')) return;
    const [one, other] = [boundingBoxOf(below), boundingBoxOf(el)];
    if (['x', 'y', 'width', 'height'].some((side) => one[side] !== other[side])) return;
    this.lines.pop();
    this.refs--;
  }

  // A link that holds words alone and is called by them, as most are. Returns whether it is one.
  plainLink(el, view, depth) {
    const text = view.visible && !view.inert ? onlyTextOf(el) : null;
    if (text === null || !isPlainlyLinked(el) || this.labelling.has(el) || this.owners.by.size > 0)
      return false;
    const root = rootNodeOf(el);
    const name = mayBeGiven(el, root) ? '' : stripIconGlyphs(squeeze(text.data));
    if (name === '') return false;
    this.flush(depth);
    this.lastLeaf = el;
    this.refs++;
    const disabled = hasDisabledMarks(root) && isMarkedDisabled(el) ? ' disabled' : '';
    const head = `link ${quote(name)} [ref=e${refOf(el, 'link', name)}]${disabled}`;
    this.put(depth, LEAF, head + focusOf(el, this.active) + this.detail(el, 'link', name));
    if (!view.readable) this.hidden += text.data.length;
    return true;
  }

  // The links of a picture's image map.
  areas(el, depth) {
    for (const area of mapOf(el)?.areas || []) {
      const name = nameOf(area, 'link');
      if (area.hasAttribute('href'))
        this.put(
          depth,
          LEAF,
          this.head(area, 'link', name, true) + this.detail(area, 'link', name),
        );
    }
  }

  // An inline drawing: its title, and the words in it.
  drawing(el, view, depth, control) {
    if (control) return;
    this.flush(depth);
    const name = nameOf(el, 'img');
    if (name && !this.onlyRefs && view.visible) this.put(depth, LEAF, `img ${quote(name)}`);
    this.block(el, view, depth, null);
  }

  heading(el, view, depth, acts, control) {
    const name = nameOf(el, 'heading');
    const level = headingLevelOf(el);
    if (!this.onlyRefs || acts) {
      if ((!name || control) && !acts) {
        this.block(el, view, depth, control);
        return;
      }
      if (!view.readable && !acts && !control && !anyReadable(el, view)) return;
      this.flush(depth);
      this.put(
        depth,
        LEAF,
        `${this.head(el, 'heading', name, acts)} [level=${level}]${this.onlyRefs || !markCoveredText(el, name).startsWith(COVERED_MARK) ? '' : ' [covered]'}`,
      );
    }
    const inner = depth + (this.onlyRefs ? 0 : 1);
    this.kids(el, view, inner, hidesWords(el, name) ? control : el);
    this.flush(inner);
  }

  // Lines with lines below them

  box(el, role, view, depth, acts, control) {
    if ((role === 'rowgroup' && !(el.hasAttributes() && hasLabel(el))) || (control && !acts)) {
      this.block(el, view, depth, control);
      return;
    }
    this.flush(depth);
    const bands = role === 'row' && !acts && !this.onlyRefs ? rowBandsOf(el) : null;
    if (bands) {
      this.bands(el, view, depth, bands);
      return;
    }
    const shown = role || (acts && this.special.get(el)) || 'clickable';
    const name = this.boxName(el, role);
    const told = !this.onlyRefs || acts;
    const [at, rows] = [this.lines.length, this.drawnRows.length];
    const line = told ? this.head(el, shown, name, acts) + this.detail(el, role, name) : '';
    if (told) this.put(depth, BOX, line);
    const inner = this.onlyRefs ? depth : depth + 1;
    // A row is one line with its cells.
    const below = depth >= this.maxDepth && role !== 'row' && !CELL_ROLES.has(role);
    if (below && !this.onlyRefs && el.firstElementChild) this.belowDepth(el, inner);
    else this.kids(el, view, inner, null);
    this.flush(inner);
    if (GRID_ROLES.has(role)) this.refs -= mergeDrawnRows(this.lines, this.drawnRows.splice(rows));
    if (told) this.close(el, role, at, acts || line !== shown);
  }

  // The lines below say what a row, a cell or a clickable box contains, if there are any.
  boxName(el, role) {
    const given =
      el.hasAttributes() && (el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby'));
    if (this.onlyRefs && !given)
      return nameOf(el, role) || squeeze(nameFromContent(el)).slice(0, MAX_SHORT_TEXT);
    if (
      !given &&
      (CELL_ROLES.has(role) ||
        role === 'row' ||
        (role === 'listitem' && !BLANK.test(textContentOf(el))))
    )
      return '';
    return nameOf(el, role);
  }

  // A row that holds all cells of a grid, each placed by a script: one line for those at one height.
  bands(el, view, depth, bands) {
    for (const band of bands) {
      const at = this.lines.length;
      this.put(depth, BOX, 'row');
      for (const kid of band) this.tryElement(kid, view, depth + 1, null);
      this.flush(depth + 1);
      this.close(el, 'row', at, false);
    }
  }

  belowDepth(el, depth) {
    const count = el.querySelectorAll('*').length;
    this.put(depth, LEAF, `… ${count} ${count === 1 ? 'element' : 'elements'} below this depth`);
  }

  frame(el, depth) {
    this.flush(depth);
    const inner = innerDocument(el);
    const name = nameOf(el, 'iframe');
    const at = this.lines.length;
    const below = this.onlyRefs ? depth : depth + 1;
    if (!this.onlyRefs) this.put(depth, BOX, name ? `iframe ${quote(name)}` : 'iframe');
    if (inner && rootElementOf(inner) && urlOf(inner) !== 'about:blank#blocked') {
      this.document(inner, below);
      if (!this.onlyRefs && this.lines.length === at + 1 && awaitsDocument(el, inner)) {
        this.put(below, LEAF, `(frame not loaded: ${clip(el.src)})`);
      }
    } else {
      this.frames.push(el);
      this.put(below, FRAME, '');
    }
    if (!this.onlyRefs && this.lines.length === at + 1 && !name) this.lines.length = at;
  }
}
