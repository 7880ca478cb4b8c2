// The lines of an outline as they are written: the words not yet on one, what joins, what is dropped.

const UNSEEN_CONTENT = /[")] \/ /;

class OutlineDraft {
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
    this.ariaHidden = false; // whether we are in something that assistive software is not told of
    this.optionLists = new Map();
    this.queries = new Set(); // addresses with a query that is cut, as they were told
    this.drawnRows = []; // of the grid that we are in, those that say which they are
    this.special = new Map(); // what acts by no sign of its own
    this.owners = NO_OWNERS;
    this.labelling = EMPTY_SET; // elements that are told as names of fields
    this.worded = EMPTY_SET; // those to which a style sheet gives words
    this.labels = []; // lines of what assistive software is not told of
  }

  put(depth, kind, text) {
    this.lines.push([depth, kind, text]);
  }

  flush(depth) {
    if (!this.words) return;
    const text = squeeze(this.words);
    this.words = '';
    if (text && !this.onlyRefs) this.put(depth, TEXT, text);
  }

  // Words of an element, marked where what is covered begins, once for all of it on a line.
  addText(el, text) {
    const words = isIconWord(el, text) ? ` (${text.trim()}) ` : text;
    const told = markCoveredText(el, words);
    const covered = told !== words;
    this.words += covered && this.under && this.words ? words : told;
    if (covered || (this.under && !BLANK_TEXT.test(text))) this.under = covered;
  }

  // Words that a style sheet puts before or after those of an element, where all of them show: signs and
  // icons say nothing, nor do the numbers of lines, and what is said instead of a sign is not seen.
  addGenerated(el, pseudo, view) {
    const { content, fontFamily } = getComputedStyle(el, pseudo);
    if (!SHORT_WORD.test(content) || UNSEEN_CONTENT.test(content) || ICON_FONT.test(fontFamily))
      return;
    if (view.preserves && COUNTS.test(content)) return;
    const words = generatedText(el, pseudo);
    if (tagOf(el) === 'Q' || SHORT_WORD.test(words)) this.words += words;
  }

  line(depth) {
    const text = this.words.trimEnd();
    this.words = '';
    if (!ZERO_WIDTH_ONLY.test(text)) this.lines.push([depth, TEXT, text, PRESERVED]);
  }

  // Whether a few words are in the name of what they stand in: the number of a day, the short form of its name.
  isPartOfName(depth, words) {
    if (words.length > MAX_SHORT_TEXT) return false;
    const around = this.lines.findLast(([level]) => level < depth);
    const [, name] = (around && NAME_IN_LINE.exec(around[2])) ?? [];
    const at =
      name === undefined ? -1 : ` ${name}`.toLowerCase().indexOf(` ${words.toLowerCase()}`);
    return at >= 0 && (!SHORT_WORD.test(name[at + words.length] ?? '') || ABBREVIATION.test(words));
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

  // The line for a thing and the one right below it where the two are one, in one of which more states
  // stand than in the other: `button "Menu"` and in it `button "Menu" collapsed`; '' where they are not.
  mergedLine(at) {
    const [outer, inner] = [this.lines[at][2], this.lines[at + 1][2]];
    const [one, other] = [withoutRef(outer), withoutRef(inner)];
    if (one === other || (one.startsWith(other) && STATES_ALONE.test(one.slice(other.length))))
      return outer;
    if (!other.startsWith(one) || !STATES_ALONE.test(other.slice(one.length))) return '';
    return outer + other.slice(one.length);
  }

  // An item and the control in it that its name is of are one thing, which the control's ref stands for. A button in a
  // tab does something of its own; a link in it is what switches to the tab.
  joinItem(at) {
    const { lines } = this;
    const [whole, head, name, states] = ITEM_LINE.exec(lines[at][2]) ?? [];
    const [pressed, called, ref, more] =
      (head && lines[at + 1]?.[1] === LEAF && pressedIn(lines[at + 1][2])) || [];
    if (!pressed || called !== name || (head.startsWith('tab ') && pressed.startsWith('button ')))
      return;
    const own = states.split(' ');
    const added = more.split(' ').filter((word) => !own.includes(word));
    const all = [...own, ...added].filter(Boolean).map((word) => ` ${word}`);
    const details = lines[at][2].slice(whole.length) + lines[at + 1][2].slice(pressed.length);
    lines.splice(at, 2, [lines[at][0], lines[at][1], `${head} ${ref}${all.join('')}${details}`]);
    this.refs--;
  }

  // Puts one line in the place of two that tell of one thing; what stood below them stands below it.
  joinBelow(at, [, kind, text, flag]) {
    const { lines } = this;
    const depth = lines[at][0];
    lines.splice(at, 2, [depth, kind, text, flag]);
    for (let place = at + 1; place < lines.length; place++) lines[place][0]--;
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
    const shown = shownLines(textWithoutLists(el, 'combobox'))
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

  // Joins what can stand on one line, and drops what says nothing.
  close(el, role, at, telling) {
    if (WRAPPING_ITEM.test(role)) this.joinItem(at);
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
    else if (
      role === '' &&
      only &&
      only[1] !== TEXT &&
      this.wraps(el, this.lines[at][2], only[2])
    ) {
      // What is clicked inside is clicked by it.
      this.refs--;
      this.lines[at] = [this.lines[at][0], LEAF, this.lines.pop()[2]];
    } else if (
      role === '' &&
      only?.[1] === LEAF &&
      NAMELESS_CLICKABLE.test(this.lines[at][2]) &&
      isFilledBy(el, only[2]) &&
      hasOnlyClicks(el)
    ) {
      // Without a word in either: whoever clicks one clicks both.
      this.refs--;
      this.lines.pop();
      this.lines[at][1] = LEAF;
    } else if (
      role === 'listitem' &&
      only?.[1] === LEAF &&
      CLICKED_ITEM.test(this.lines[at][2]) &&
      this.special.get(el) === 'draggable' &&
      DRAGGED_CONTROL.test(only[2])
    ) {
      this.refs--;
      this.lines[at] = [
        this.lines[at][0],
        LEAF,
        `listitem: ${draggableLine(this.lines.pop()[2])}`,
        CONTROL_ITEM,
      ];
    } else if (
      role === 'listitem' &&
      only?.[1] === LEAF &&
      CLICKED_ITEM.test(this.lines[at][2]) &&
      PRESSED_INSIDE.test(only[2]) &&
      hasOnlyClicks(el)
    ) {
      this.refs--;
      const [, , inner] = this.lines.pop();
      this.lines[at] = [this.lines[at][0], LEAF, `listitem: ${inner}`, CONTROL_ITEM];
    } else if (
      role === '' &&
      count > 1 &&
      this.lines[at + 1][1] === LEAF &&
      this.wraps(el, this.lines[at][2], this.lines[at + 1][2]) &&
      this.hasOneBelow(at)
    ) {
      this.refs--;
      this.joinBelow(at, this.lines[at + 1]);
    } else if (role === '' && only?.[1] === LEAF && isDraggedBy(this.lines[at][2], only[2])) {
      this.refs--;
      this.lines[at] = [this.lines[at][0], LEAF, draggableLine(this.lines.pop()[2])];
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
  wraps(el, line, inner) {
    const isField = TYPED_LINE.test(inner);
    if (isField && isPixelThin(this.lastLeaf)) return false;
    const [, called] = /^clickable( ".*"| \(.*\))? \[ref=e\d+\](?: disabled)?$/.exec(line) ?? [
      null,
      line,
    ];
    return (
      inner.includes(`${called ?? ''} [ref=`) ||
      (called?.startsWith(' (') &&
        (DRAWN_WHOLE.has(inner.split(' ', 1)[0]) || (isField && hasOnlyPointerCursor(el))))
    );
  }

  // Cells that show the hand and nothing else, around what is clicked in them, need no ref; then neither do those
  // beside them that are empty.
  dropPointerCells(at) {
    const { lines } = this;
    const empty = [];
    let acting = 0;
    for (let i = at + 1, end; i < lines.length; i = end) {
      for (end = i + 1; lines[end]?.[0] > lines[i][0];) end++;
      const [, role, number] = POINTER_CELL.exec(lines[i][2]) ?? [];
      if (!role) continue;
      const hasControl = lines
        .slice(i + 1, end)
        .some((line) => line[1] !== TEXT && REF.test(line[2]));
      if ((!hasControl && end > i + 1) || !hasOnlyPointerCursor(elementOf(Number(number))))
        continue;
      if (hasControl) {
        acting++;
        lines[i][2] = role;
      } else empty.push(lines[i]);
    }
    if (!acting) return;
    for (const line of empty) line[2] = CELL.exec(line[2])[0];
    this.refs -= acting + empty.length;
  }

  // A row on one line, if its cells are simple.
  row(el, at) {
    this.dropPointerCells(at);
    const words = joinRow(this.lines, at);
    const columns = words && el.hasAttribute('aria-rowindex') ? columnsOf(el) : [];
    if (words && columns.length === words.length && columns.length > 0) {
      const key = el.getAttribute('aria-rowindex');
      this.drawnRows.push({ key, columns, words, line: this.lines[at] });
    }
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
