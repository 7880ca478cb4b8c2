// The lines of an outline as they are told: without what the lines around them say.

const DRAGGABLE_LINE = /^draggable \[ref=e\d+\]: /;
const PRESSABLE_LINE = /^(clickable|button) .{0,30}\[ref=e\d+\].{0,20}$/;
const MIN_DRAGGED = 2; // side by side that are told in one line
const MIN_ALIKE = 15; // short things to press side by side that are told in lines of several
const NAMELESS_LINE =
  /^(clickable|button|link)(?: \([^()]*\))? \[ref=e\d+\](?: [a-z]+)?(?: → \S{1,20})?$/;
const MIN_ICONS = 2; // the same of those without a name, which are the icons of a bar
const BAR = /^(?:menu|menubar|tablist|toolbar)\b/;
const NAMED_LINE =
  /^(button|menuitem(?:checkbox|radio)?|tab) "(?:[^"\\]|\\.){1,60}" \[ref=e\d+\](?: [a-z]+){0,2}$/;
const MIN_IN_BAR = 3; // the same of what has a name, in a bar

const MIN_JOINED = 2; // short texts in a row that are told in one line
const MAX_JOINED = 7; // of more, each has a line of its own
const MAX_SIGN = 4; // characters: the days of a month, the keys of a keyboard
const MAX_SIGNS = 60; // of those
const MAX_WORDS = 40; // characters
const MAX_PARTS = 4;
const MAX_ITEM = 160; // characters
const NAMED_LAST = /(?:^|> )[a-z]+( "(?:[^"\\]|\\.)*")$/; // a box by role and name alone, the last of a chain

const HEADING_LINE = /^heading (".*") (\[level=\d+\])$/;
const ITEM = 'listitem: ';
const ONLY_ITEM = ' > listitem';
const LIST = /^list(?: |$)/;
const REF_MARK = ' [ref='; // in a text: its line says that it is one
const MAX_WORDS_ITEM = 80; // characters
const MAX_LIST = 400; // characters of a list of words that is one line
const NAMELESS_GROUP = 'group'; // one without a name
const SELF_NAMING = /^(?:heading|summary)\b/; // what says itself where a group begins

function rewriteLines(lines) {
  const once = dropLineNumbers(foldRows(tellPopupsOnce(lines))).filter(
    (line, at, all) => !repeatsNeighbour(line, all[at - 1], all[at + 1]),
  );
  const described = once.some(isDescribed)
    ? tellDescriptionsOnce(once.map((line, at) => dropRepeatedDescription(line, at, once)))
    : once;
  const named = dropNamesOfPanels(
    described.map((line, at) => dropRepeatedName(line, described[at + 1])),
  );
  const joined = joinListItems(
    joinShortTexts(joinDraggables(mergeHeadingLinks(dropNamelessGroups(named)))),
  );
  const bars = joinBars(shortenRowNames(joinWordLists(dropItemPrefixes(joined))));
  return unfoldRows(joinPressables(chainBoxes(bars)));
}

// Whether any line begins with a word: where none does, there is nothing to rewrite for it.
const anyBegins = (lines, word) => lines.some((line) => line[2].startsWith(word));
const isDescribed = (line) => line[2].includes(DESCRIPTION_KEY);

// A heading by its level alone where it is the one link or button in it.
function mergeHeadingLinks(lines) {
  if (!anyBegins(lines, 'heading')) return lines;
  const out = [];
  for (let at = 0; at < lines.length; at++) {
    const { 0: depth, 1: kind, 2: words } = lines[at];
    const [, name, level] =
      (kind === LEAF && lines[at + 1]?.[0] === depth + 1 && HEADING_LINE.exec(words)) || [];
    const only = name && (lines[at + 2]?.[0] ?? 0) <= depth ? lines[at + 1][2] : '';
    if (['link', 'button'].some((one) => only.startsWith(`${one} ${name} [ref=`)))
      out.push([depth, LEAF, `heading ${level} > ${lines[++at][2]}`]);
    else out.push(lines[at]);
  }
  return out;
}

// Things to drag that stand side by side are told in lines of several.
function joinDraggables(lines) {
  if (!anyBegins(lines, 'draggable')) return lines;
  const out = [];
  for (let at = 0; at < lines.length;) {
    const depth = lines[at][0];
    let end = at;
    while (end < lines.length && lines[end][0] === depth && DRAGGABLE_LINE.test(lines[end][2]))
      end++;
    if (end === at) out.push(lines[at++]);
    else {
      out.push(
        ...foldRuns(
          lines.slice(at, end).map(([, , words]) => words),
          undefined,
          MIN_DRAGGED,
        ).map((words) => [depth, LEAF, words]),
      );
      at = end;
    }
  }
  return out;
}

// The days of a calendar, the icons of a bar, the keys of a keyboard: lines of several.
function joinPressables(lines) {
  return joinAlike(joinAlike(lines, PRESSABLE_LINE, MIN_ALIKE), NAMELESS_LINE, MIN_ICONS);
}

// The menus, tabs and buttons of a bar: lines of several.
function joinBars(lines) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const { 0: depth, 1: kind, 2: words } = lines[at];
    out.push(lines[at++]);
    if (kind !== BOX || !BAR.test(words)) continue;
    let end = at;
    while (lines[end]?.[0] > depth) end++;
    out.push(...joinAlike(lines.slice(at, end), NAMED_LINE, MIN_IN_BAR));
    at = end;
  }
  return out;
}

// Runs of so many lines of a pattern that are of one kind and stand side by side, with nothing in them, joined.
function joinAlike(lines, pattern, fewest) {
  const out = [];
  const kindAt = (at) =>
    lines[at]?.[1] === LEAF && !(lines[at + 1]?.[0] > lines[at][0])
      ? (pattern.exec(lines[at][2])?.[1] ?? '')
      : '';
  for (let at = 0; at < lines.length;) {
    const depth = lines[at][0];
    const kind = kindAt(at);
    let end = at + 1;
    while (kind && lines[end]?.[0] === depth && kindAt(end) === kind) end++;
    const run = lines.slice(at, end);
    if (run.length < fewest) out.push(...run);
    else
      out.push(
        ...joinRun(
          kind,
          run.map(([, , words]) => words),
        ).map((words) => [depth, LEAF, words]),
      );
    at = end;
  }
  return out;
}

const isShortText = ({ 1: kind, 2: words, 3: mark }) =>
  kind === TEXT &&
  mark !== PRESERVED &&
  words.length <= MAX_WORDS &&
  !words.includes(ARIA_HIDDEN_MARK);
const isSign = (line) => line[2].length <= MAX_SIGN && isShortText(line);

// How many lines from one on stand side by side and are of a kind, up to a most.
function countAtOneDepth(lines, at, isOfKind, most) {
  let end = at;
  while (end - at < most && lines[end]?.[0] === lines[at][0] && isOfKind(lines[end])) end++;
  return end - at;
}

const beginSigns = (lines, at) => countAtOneDepth(lines, at, isSign, MAX_JOINED + 1) > MAX_JOINED;
const escapeBars = (words) => words.replaceAll('|', '\\|');

// Short texts that stand side by side are told in one line.
function joinShortTexts(lines) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const depth = lines[at][0];
    const signs = countAtOneDepth(lines, at, isSign, MAX_SIGNS);
    let end = at + signs;
    if (signs <= MAX_JOINED)
      for (
        end = at;
        lines[end]?.[0] === depth && isShortText(lines[end]) && !beginSigns(lines, end);
      )
        end++;
    if (end - at >= MIN_JOINED && (signs > MAX_JOINED || end - at <= MAX_JOINED))
      out.push([
        depth,
        TEXT,
        lines
          .slice(at, end)
          .map(([, , words]) => escapeBars(words))
          .join(' | '),
      ]);
    else out.push(...lines.slice(at, (end = Math.max(end, at + 1))));
    at = end;
  }
  return out;
}

// An item of a list that holds a few words, and one thing beside them, is one line, as a row is; a list
// in it stands below that.
function joinListItems(lines) {
  if (!anyBegins(lines, 'listitem')) return lines;
  const out = [];
  for (let at = 0; at < lines.length; at++) {
    const { 0: depth, 1: kind, 2: words } = lines[at];
    const head = kind === BOX && words === 'listitem' ? headOfItem(lines, at) : [];
    const parts = head
      .map(([, inner, part]) => (inner === TEXT ? escapeBars(part) : part))
      .join(' | ');
    if (!head.length || parts.length > MAX_ITEM) out.push(lines[at]);
    else {
      out.push([depth, LEAF, `${words}: ${parts}`]);
      at += head.length;
    }
  }
  return out;
}

// What stands directly below an item, before the list in it if there is one; empty if it is more than
// a few words and one thing beside them.
function headOfItem(lines, at) {
  const head = [];
  const inner = lines[at][0] + 1;
  for (let next = at + 1; lines[next]?.[0] >= inner; next++) {
    const { 0: depth, 1: kind, 2: words, 3: mark } = lines[next];
    if (kind === BOX && depth === inner && words === 'list' && isLastChild(lines, next))
      return head.length && hasOneControlAtMost(head) ? head : [];
    if (
      depth > inner ||
      mark === PRESERVED ||
      (kind !== LEAF && kind !== TEXT) ||
      head.push(lines[next]) > MAX_PARTS
    )
      return [];
  }
  return head.length > 1 && hasOneControlAtMost(head) ? head : [];
}

const hasOneControlAtMost = (head) => head.filter(([, kind]) => kind === LEAF).length < 2;

// Whether a box is the last thing in what it stands in.
function isLastChild(lines, at) {
  let next = at + 1;
  while (lines[next]?.[0] > lines[at][0]) next++;
  return !(lines[next]?.[0] === lines[at][0]);
}

// Controls in a list by themselves: items they are in any case.
function dropItemPrefixes(lines) {
  return lines.map((line) =>
    line[3] === CONTROL_ITEM ? [line[0], LEAF, line[2].slice(ITEM.length)] : line,
  );
}

// What stands in a group without a name, where the group does not keep it apart from another's: it says nothing.
function dropNamelessGroups(lines) {
  if (!anyBegins(lines, NAMELESS_GROUP)) return lines;
  const out = [];
  const around = []; // the groups that we are in, left out or not
  let ended = -1; // the depth of the group that the line before was the end of
  for (const [at, line] of lines.entries()) {
    const { 0: depth, 1: kind, 2: words } = line;
    ended = -1;
    while (around.length && around.at(-1).depth >= depth) ended = around.pop().depth;
    const moved = around.filter((one) => one.left).length;
    const told = moved ? [depth - moved, ...line.slice(1)] : line;
    const first = lines[at + 1];
    if (kind === BOX && words === NAMELESS_GROUP && first?.[0] === depth + 1) {
      const left = ended !== depth || first[1] === TEXT || SELF_NAMING.test(first[2]);
      around.push({ depth, left });
      if (left) continue;
    }
    out.push(told);
  }
  return out;
}

// A list of a few words each is one line, as a row is.
function joinWordLists(lines) {
  if (!anyBegins(lines, 'list')) return lines;
  const out = [];
  for (let at = 0; at < lines.length; at++) {
    const { 0: depth, 1: kind, 2: words } = lines[at];
    const items = kind === BOX && LIST.test(words) ? wordsOfItems(lines, at) : [];
    const told = items.map(escapeBars).join(' | ');
    if (!items.length || told.length > MAX_LIST) out.push(lines[at]);
    else {
      out.push([depth, LEAF, `${words}: ${told}`]);
      at += items.length;
    }
  }
  return out;
}

// The texts of a list's items; none if anything else stands in it, or more than a few words.
function wordsOfItems(lines, at) {
  const items = [];
  for (let next = at + 1; lines[next]?.[0] > lines[at][0]; next++) {
    const [, , words, mark] = lines[next];
    if (
      mark !== WORDS_ITEM ||
      words.length > ITEM.length + MAX_WORDS_ITEM ||
      words.includes(REF_MARK)
    )
      return [];
    items.push(words.slice(ITEM.length));
  }
  return items;
}

// A box with one thing in it stands in the line of that: `banner > navigation "Main"`.
function chainBoxes(lines) {
  const counts = childCounts(lines);
  const out = [];
  const around = []; // of what we are in: its depth, and by how much what stands in it moves up
  for (let at = 0; at < lines.length; at++) {
    const { 0: depth, 1: kind, 2: words } = lines[at];
    while (around.length && around[around.length - 1][0] >= depth) around.pop();
    const moved = around.at(-1)?.[1] ?? 0;
    const joins =
      counts[at - 1] === 1 && lines[at - 1][0] < depth && canChain(lines[at - 1], lines[at]);
    if (joins)
      out.push([
        out.at(-1)[0],
        kind === TEXT ? LEAF : kind,
        chainedText(out.pop()[2], kind, words),
      ]);
    else out.push(moved > 0 ? [depth - moved, ...lines[at].slice(1)] : lines[at]);
    around.push([depth, joins ? moved + 1 : moved]);
  }
  return out;
}

const SEPARATE_LINE = /^(?:row|headers|iframe)\b/; // what is a line of its own

function canChain([, kind, words], [, inner, held, mark]) {
  if (kind !== BOX || SEPARATE_LINE.test(words)) return false;
  return inner === TEXT
    ? mark !== PRESERVED
    : (inner === LEAF || inner === BOX) && !SEPARATE_LINE.test(held);
}

// A group without a name says nothing about the one thing in it, nor does the only item of a list, nor
// the name of what it is in.
function chainedText(box, kind, words) {
  if (kind === TEXT) return `${box}: ${words}`;
  if (box === 'group') return words;
  const [, name] = NAMED_LAST.exec(box) ?? [];
  const [role] = words.split(' ', 1);
  const outer = box.endsWith(ONLY_ITEM) ? box.slice(0, -ONLY_ITEM.length) : box;
  return `${outer} > ${name && words === role + name ? role : words}`;
}

// How many lines stand directly below each.
function childCounts(lines) {
  const counts = new Uint32Array(lines.length);
  const around = [];
  for (let at = 0; at < lines.length; at++) {
    const depth = lines[at][0];
    while (around.length && lines[around[around.length - 1]][0] >= depth) around.pop();
    if (around.length) counts[around[around.length - 1]]++;
    around.push(at);
  }
  return counts;
}
