// The outline: one pass over what is shown, one line for each thing that matters.

class Outline {
  constructor(options) {
    this.onlyRefs = options.filter === 'interactive';
    this.maxDepth = options.depth ?? Infinity;
    this.base = options.indent || 0;
    this.lines = []; // [depth, kind, text, PRESERVED, CONTROL_ITEM or WORDS_ITEM if it is that]
    this.frames = []; // iframes of other origins, in order
    this.words = ''; // text not yet on a line
    this.under = false; // whether the last of it is covered
    this.refs = 0;
    this.hidden = 0; // characters that nobody sees
    this.level = 0;
    this.active = null;
    this.lastLeaf = null;
    this.root = null;
    this.unheard = false; // whether we are in something that assistive software is not told of
    this.optionLists = new Map();
    this.drawnRows = []; // of the grid that we are in, those that say which they are
    this.special = new Map(); // what acts by no sign of its own
    this.owners = NO_OWNERS;
    this.labelling = EMPTY_SET; // elements that are told as names of fields
    this.labels = []; // lines of what assistive software is not told of
  }

  // Lines

  put(depth, kind, text) {
    this.lines.push([depth, kind, text]);
  }

  flush(depth) {
    if (!this.words) return;
    const text = squeeze(this.words);
    this.words = '';
    if (text && !this.onlyRefs) this.put(depth, TEXT, text);
  }

  // Walking

  document(doc, depth) {
    const view = rootView(doc);
    if (!view) return;
    const outer = [this.active, this.special, this.owners, this.labelling];
    this.active = deepActiveElement(doc);
    this.special = implicitActionsIn(doc);
    this.relate(doc);
    this.kids(rootElementOf(doc), view, depth, null);
    this.flush(depth);
    // What its owner was not asked for stands at the end.
    for (const owner of [...this.owners.by.keys()])
      if (this.owners.by.has(owner)) this.owned(owner, depth, null);
    this.flush(depth);
    if (this.labels.length) this.dropLabels();
    [this.active, this.special, this.owners, this.labelling] = outer;
  }

  relate(doc) {
    this.owners = ownersIn(doc);
    this.labelling = this.onlyRefs ? EMPTY_SET : labelsIn(doc);
  }

  // What an element owns that stands elsewhere.
  owned(owner, depth, control) {
    const kids = this.owners.by.get(owner);
    this.owners.by.delete(owner);
    for (const kid of kids) {
      if (kid.checkVisibility()) this.tried(kid, viewOfParent(kid), depth, control);
    }
  }

  kids(el, view, depth, control) {
    if (++this.level > MAX_DEPTH) {
      this.words += ` ${el.innerText ?? ''} `;
    } else if (tagOf(el) === 'TEXTAREA') {
      // Its value is told with it.
    } else if (view.preserves && !view.inline && !this.onlyRefs && !control) {
      this.preserved(el, view, depth);
    } else {
      const fold = tagOf(el) === 'DETAILS' && !el.open;
      const list = hasComposedChildren(el) ? [...composedChildrenOf(el)] : null;
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
            if (!control && !this.onlyRefs) this.say(el, kid.data);
          } else this.hidden += kid.data.length;
        } else if (type === 1 && !(this.owners.owned.size && this.owners.owned.has(kid))) {
          if (clobbered(kid)) this.form(kid, view, depth, control);
          else this.tried(kid, view, depth, control);
        }
      }
      if (this.owners.by.size && this.owners.by.has(el)) this.owned(el, depth, control);
    }
    this.level--;
  }

  // Words of an element, marked where what is covered begins, once for all of it on a line.
  say(el, text) {
    const words = isIconWord(el, text) ? ` (${text.trim()}) ` : text;
    const told = markCoveredText(el, words);
    const covered = told !== words;
    this.words += covered && this.under && this.words ? words : told;
    if (covered || (this.under && !BLANK_TEXT.test(text))) this.under = covered;
  }

  // One odd element must not cost the whole reading.
  tried(el, view, depth, control) {
    try {
      this.element(el, view, depth, control);
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
  preserved(el, view, depth) {
    for (const kid of composedChildrenOf(el)) {
      if (isCollapsed(el, kid)) continue;
      if (nodeTypeOf(kid) === Node.ELEMENT_NODE) {
        this.element(kid, view, depth, null);
      } else if (nodeTypeOf(kid) === Node.TEXT_NODE && view.readable) {
        const [first, ...rest] = kid.data.split('\n');
        this.say(el, first);
        for (const line of rest) {
          this.line(depth);
          this.words = line;
        }
      }
    }
    this.line(depth);
  }

  line(depth) {
    const text = this.words.trimEnd();
    this.words = '';
    if (!ZERO_WIDTH_ONLY.test(text)) this.lines.push([depth, TEXT, text, PRESERVED]);
  }

  // `control` is the control we are in: its words are its name already.
  element(el, above, depth, control) {
    const tag = el.tagName.toUpperCase();
    if (UNRENDERED_TAGS.has(tag)) return;
    const view = viewInside(el, above);
    if (tag === 'TD' && view !== null && control === null && this.plainCell(el, view, depth))
      return;
    const unheard = el.getAttribute('aria-hidden') === 'true';
    if (
      !view ||
      (unheard &&
        (control || !(isVisibleButHidden(el, view) || this.isPressedUnheard(el, tag, view))))
    ) {
      this.hidden += el.textContent.trim().length;
    } else if (unheard && !this.unheard && !isIconWord(el, el.textContent))
      this.onlySeen(el, tag, view, depth);
    else this.shownElement(el, tag, view, depth, control);
  }

  // A cell without attributes that holds words alone, as most of a large table: what it is and does
  // needs no further questions. Returns whether it is one.
  plainCell(el, view, depth) {
    const text = firstChildOf(el);
    if (
      text === null ||
      nodeTypeOf(text) !== 3 ||
      nextSiblingOf(text) !== null ||
      el.hasAttributes() ||
      this.onlyRefs
    )
      return false;
    if (
      view.pointer ||
      view.host ||
      view.preserves ||
      this.special.has(el) ||
      this.labelling.has(el)
    )
      return false;
    if (tableRole(parentElementOf(el)) !== '') return false;
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
  isPressedUnheard(el, tag, view) {
    if (tag === 'SVG') suspectDrawing(el);
    const { width, height } = boundingBoxOf(el);
    if (!view.visible || view.inert || width < MIN_DRAWN / 2 || height < MIN_DRAWN / 2)
      return false;
    if (
      tag !== 'BUTTON' &&
      (width > MAX_ICON ||
        height > MAX_ICON ||
        !(this.special.has(el) || (view.pointer && this.beginsPointer(el, view))))
    )
      return false;
    return !isCutAway(el);
  }

  // What is seen although assistive software is not told of it.
  onlySeen(el, tag, view, depth) {
    if (this.dialogOver(el)) {
      this.hidden += el.textContent.trim().length;
      return;
    }
    const words = view.inline && el.querySelector(INTERACTIVE_SELECTOR) === null;
    if (!words) this.flush(depth);
    const [at, before] = [this.lines.length, this.words];
    this.words = '';
    this.unheard = true;
    this.shownElement(el, tag, view, depth, null);
    this.unheard = false;
    if (words && this.lines.length === at) {
      this.words = BLANK.test(this.words) ? before : `${before}${ARIA_HIDDEN_MARK} ${this.words}`;
      return;
    }
    this.flush(depth);
    for (const line of this.lines.slice(at))
      if (line[0] === depth) line[2] += ` ${ARIA_HIDDEN_MARK}`;
    if (this.lines.length === at + 1 && this.lines[at][1] === TEXT)
      this.labels.push(this.lines[at]);
  }

  // The words that people see before a field, where its name says the same.
  dropLabels() {
    const spoken = new Set();
    const places = new Map(this.lines.map((line, at) => [line, at]));
    for (const label of this.labels) {
      if (!places.has(label)) continue; // it was joined with another line
      const words = quote(label[2].slice(0, -ARIA_HIDDEN_MARK.length - 1));
      const at = places.get(label);
      if (
        this.lines
          .slice(at + 1, at + 3)
          .some(
            ([, kind, line]) =>
              kind !== TEXT &&
              (line.includes(` ${words} [ref=`) ||
                (GROUP_OF_FIELDS.test(line) && line.includes(` ${words}`))),
          )
      )
        spoken.add(label);
    }
    if (spoken.size) this.lines = this.lines.filter((line) => !spoken.has(line));
    this.labels = [];
  }

  // Whether an open dialog stands before an element of the page.
  dialogOver(el) {
    return shownDialogs(documentOf(el)).some(
      (one) => !nodeContains(el, one) && !nodeContains(one, el),
    );
  }

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
    const role = given === 'none' ? '' : given;
    const acts = !view.inert && this.acts(el, role, view, control);
    if (tag === 'SVG' && !acts && !control) suspectDrawing(el);
    if (tag === 'SVG' && !el.hasAttribute('role') && !acts) this.drawing(el, view, depth, control);
    else if (LEAF_ROLES.has(role)) this.leaf(el, role, view, depth, acts, control);
    else if (role === 'math' && !acts && !control && hasLabel(el)) this.formula(el, view, depth);
    else if (role === 'iframe') this.frame(el, depth);
    else if (role === 'heading') this.heading(el, view, depth, acts, control);
    else if (CONTAINER_ROLES.has(role) || acts) this.box(el, role, view, depth, acts, control);
    else if (view.inline) this.inline(el, view, depth, control);
    else this.block(el, view, depth, control);
    if (tag === 'IMG' && el.useMap && view.visible && !view.inert)
      this.areas(el, depth + (this.onlyRefs || !nameOf(el, 'img') ? 0 : 1));
  }

  // Labels, legends and captions are told as names of what they belong to.
  caption(el, tag, view, depth) {
    const owner = tag === 'LABEL' ? el.control : null;
    if (owner && !isControlReachable(owner, el)) {
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
        this.saysMore(el, nameOf(owner, roleOf(owner)), new NameComputation(owner))
        ? null
        : el,
    );
  }

  // A formula that its author has put into words, in the line that it stands in.
  formula(el, view, depth) {
    if (!view.inline) this.flush(depth);
    if (view.visible) this.words += ` math ${quote(nameOf(el, 'math'))} `;
    if (!view.inline) this.flush(depth);
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
    if (control) return false;
    return (
      (view.pointer && this.beginsPointer(el, view)) ||
      (role === 'gridcell' && isPictureCell(el)) ||
      this.special.has(el)
    );
  }

  beginsPointer(el, view) {
    return !view.above?.pointer && el.tagName !== 'LABEL' && el.tagName !== 'BODY';
  }

  // Lines of single elements

  head(el, role, name, acts) {
    let line = role;
    if (name) line += ` ${quote(name)}`;
    else if (acts && !isNamedBeside(el, role, true))
      line +=
        (role === 'file' ? ` ${quote(el.multiple ? 'Choose Files' : 'Choose File')}` : '') +
        hintIfWordless(el, role);
    if (acts) {
      this.refs++;
      line += ` [ref=e${ROLELESS_WORDS.has(role) ? refOf(el) : refOf(el, role, name || undefined)}]`;
    }
    return line + statesOf(el, role, this.active);
  }

  detail(el, role, name) {
    return detailOf(el, role, name, this.root, this.optionLists);
  }

  leaf(el, role, view, depth, acts, control) {
    const name = nameOf(el, role, view.style);
    if (role === 'img' && !acts && (!name || control)) return; // a control's name has it
    if ((el.tagName === 'OPTION' && el !== this.root) || !view.visible) return;
    if ((this.onlyRefs && !acts) || (role === 'button' && drawsBoxOfLabel(el))) return;
    this.flush(depth);
    this.lastLeaf = el;
    const at = this.lines.length;
    this.put(depth, LEAF, this.head(el, role, name, acts) + this.detail(el, role, name));
    if (CONTROL_TAGS.has(el.tagName) || role === 'img' || FALLBACK_TAGS.has(tagOf(el))) return;
    // Only further controls and pictures inside a control are told of.
    const inner = depth + (this.onlyRefs ? 0 : 1);
    const shown = FIELDS.has(role) && squeeze(valueOf(el, role)) === squeeze(textContentOf(el));
    const told =
      shown || role === 'textbox' || role === 'video' || role === 'audio' || !this.untold(el, name);
    this.kids(el, view, inner, told ? control || el : control);
    this.flush(inner);
    if (
      this.lines.length > at + 1 &&
      withoutRef(this.lines[at + 1][2]) === withoutRef(this.lines[at][2]) &&
      this.hasOneBelow(at)
    ) {
      this.refs--;
      this.joinBelow(at, this.lines[at]);
    } else if (role === 'combobox') this.joinHeldField(el, at);
  }

  // A box that is called a field because one stands in it: that one is told, with what the box shows.
  joinHeldField(el, at) {
    const { lines } = this;
    const [depth, , words] = lines[at];
    const fields = lines
      .slice(at + 1)
      .filter(([, kind, line]) => kind === LEAF && HELD_FIELD.test(line));
    const [, name = ''] = HELD_FIELD.exec(words) ?? [];
    if (fields.length !== 1) return;
    const [field] = fields;
    const [, inner = ''] = HELD_FIELD.exec(field[2]);
    if (name !== '' && name !== inner) return;
    const shown = shownLines(textWithoutLists(el))
      .split('\n')
      .map(squeeze)
      .filter((line) => line && quote(line) !== inner.trim())
      .join(', ');
    const rest = field[2].slice(field[2].indexOf(inner) + inner.length).replace(/^[a-z]+/, '');
    const end = rest.search(/ (?:placeholder|description)=|$/);
    field[2] = `combobox${inner}${!shown || rest.includes(' value=') ? rest : `${rest.slice(0, end)} value=${quote(shown)}${rest.slice(end)}`}`;
    lines.splice(at, 1);
    this.refs--;
    for (let place = at; place < lines.length; place++)
      if (lines[place][0] > depth) lines[place][0]--;
  }

  // Whether one line stands right below another, with all that follows below it.
  hasOneBelow(at) {
    const { lines } = this;
    const level = lines[at][0] + 1;
    if (lines[at + 1][0] !== level) return false;
    for (let place = at + 2; place < lines.length; place++)
      if (lines[place][0] <= level) return false;
    return true;
  }

  // Puts one line in the place of two that tell of one thing; what stood below them stands below it.
  joinBelow(at, [, kind, text, flag]) {
    const { lines } = this;
    const depth = lines[at][0];
    lines.splice(at, 2, [depth, kind, text, flag]);
    for (let place = at + 1; place < lines.length; place++) lines[place][0]--;
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

  // Whether a name that was given hides words that people see.
  untold(el, name) {
    return (
      el.hasAttributes() &&
      (hasName(el) || (el.tagName === 'BUTTON' && labelsOf(el).length > 0)) &&
      this.saysMore(el, name)
    );
  }

  saysMore(el, name, walk = null) {
    const words = squeeze(nameFromContent(el, walk));
    return (
      (words.length > MAX_ICON_CHARS || SHORT_WORD.test(words)) &&
      !name.toLowerCase().includes(words.toLowerCase())
    );
  }

  heading(el, view, depth, acts, control) {
    const name = nameOf(el, 'heading');
    const level =
      el.getAttribute('aria-level') || (HEADING_TAG.test(el.tagName) ? el.tagName[1] : '2');
    if (!this.onlyRefs || acts) {
      if ((!name || control) && !acts) {
        this.block(el, view, depth, control);
        return;
      }
      if (!view.readable && !acts && !control && !this.anyReadable(el, view)) return;
      this.flush(depth);
      this.put(
        depth,
        LEAF,
        `${this.head(el, 'heading', name, acts)} [level=${level}]${this.onlyRefs || !markCoveredText(el, name).startsWith(COVERED_MARK) ? '' : ' [covered]'}`,
      );
    }
    const inner = depth + (this.onlyRefs ? 0 : 1);
    this.kids(el, view, inner, this.untold(el, name) ? control : el);
    this.flush(inner);
  }

  anyReadable(el, view) {
    for (const kid of composedChildrenOf(el)) {
      if (nodeTypeOf(kid) === Node.TEXT_NODE && kid.data.trim() && view.readable) return true;
      if (nodeTypeOf(kid) === Node.ELEMENT_NODE) {
        const inner = viewInside(kid, view);
        if (inner && (kid.tagName === 'IMG' || this.anyReadable(kid, inner))) return true;
      }
    }
    return false;
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
    if (below && !this.onlyRefs && el.firstElementChild) this.elsewhere(el, inner);
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

  // Joins what can stand on one line, and drops what says nothing.
  close(el, role, at, telling) {
    const count = this.lines.length - at - 1;
    const only = count === 1 ? this.lines[at + 1] : null;
    if (count === 0 && !telling && !CELL_ROLES.has(role)) this.lines.length = at;
    else if (count === 0 && role === 'listitem' && isInsideOf(el, '[role=menu]'))
      this.lines.length = at; // a stroke between its items
    else if (
      count === 0 &&
      CHILDLESS_DROPPED.has(role) &&
      this.lines[at][2] === `${role} ${quote(squeeze(el.getAttribute('aria-label') || ''))}`
    )
      this.lines.length = at;
    else if (role === 'row') this.row(el, at);
    else if (role === '' && only && only[1] !== TEXT && this.wraps(this.lines[at][2], only[2])) {
      // What is clicked inside is clicked by it.
      this.refs--;
      this.lines[at] = [this.lines[at][0], LEAF, this.lines.pop()[2]];
    } else if (
      role === '' &&
      count > 1 &&
      this.lines[at + 1][1] === LEAF &&
      this.wraps(this.lines[at][2], this.lines[at + 1][2]) &&
      this.hasOneBelow(at)
    ) {
      this.refs--;
      this.joinBelow(at, this.lines[at + 1]);
    } else if (role === '' && only?.[1] === LEAF && isDraggedBy(this.lines[at][2], only[2])) {
      this.refs--;
      this.lines[at] = [
        this.lines[at][0],
        LEAF,
        this.lines.pop()[2].replace('clickable', 'draggable'),
      ];
    } else if (count > 0 && role !== '' && this.lines[at + 1][2] === role && this.hasOneBelow(at))
      this.joinBelow(at, this.lines[at]);
    else if (role === 'listitem' && only?.[1] === LEAF && this.lines[at][2] === role) {
      this.lines[at] = [
        this.lines[at][0],
        LEAF,
        `${role}: ${this.lines.pop()[2]}`,
        only[2].includes(' [ref=e') ? CONTROL_ITEM : 0,
      ];
    } else if (only?.[1] === TEXT && !CELL_ROLES.has(role)) {
      const text = this.lines.pop()[2];
      const line = this.lines[at];
      if (role === 'listitem' && line[2] === role) line[3] = WORDS_ITEM;
      // A name that only repeats the text is left out.
      line[2] = line[2].includes(quote(text)) ? line[2] : `${line[2]}: ${text}`;
      line[1] = LEAF;
    } else if (count === 0 && !CELL_ROLES.has(role)) this.lines[at][1] = LEAF;
  }

  // Whether a clickable box says nothing that the one thing in it does not say.
  wraps(line, inner) {
    if (/^(?:textbox|searchbox|combobox)\b/.test(inner) && isDot(this.lastLeaf)) return false;
    const [, called] = /^clickable( ".*"| \(.*\))? \[ref=e\d+\](?: disabled)?$/.exec(line) ?? [
      null,
      line,
    ];
    return (
      inner.includes(`${called ?? ''} [ref=`) ||
      (called?.startsWith(' (') && TICK_ROLES.has(inner.split(' ', 1)[0]))
    );
  }

  // A row on one line, if its cells are simple.
  row(el, at) {
    const words = joinRow(this.lines, at);
    const columns = words && el.hasAttribute('aria-rowindex') ? columnsOf(el) : [];
    if (words && columns.length === words.length && columns.length > 0) {
      const key = el.getAttribute('aria-rowindex');
      this.drawnRows.push({ key, columns, words, line: this.lines[at] });
    }
  }

  // A row that holds all cells of a grid, each placed by a script: one line for those at one height.
  bands(el, view, depth, bands) {
    for (const band of bands) {
      const at = this.lines.length;
      this.put(depth, BOX, 'row');
      for (const kid of band) this.tried(kid, view, depth + 1, null);
      this.flush(depth + 1);
      this.close(el, 'row', at, false);
    }
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

  elsewhere(el, depth) {
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

  // The text, cut where a frame of another origin is to be put in.
  parts() {
    const parts = [];
    const depths = [];
    let text = '';
    for (const [depth, kind, words] of rewriteLines(this.lines)) {
      if (kind === FRAME) {
        parts.push(text);
        depths.push(this.base + depth);
        text = '';
      } else {
        text += `${'  '.repeat(this.base + depth)}- ${kind === TEXT ? 'text: ' : ''}${words}\n`;
      }
    }
    return { parts: [...parts, text], depths };
  }
}
