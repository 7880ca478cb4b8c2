// What changed on a page since an action began: what came, went, moved, was shown or hidden, and what fields hold.

const MAX_MOVES_TOLD = 3; // of one list, one by one
const MAX_REVEALED = 14; // lines about one thing that was shown
const MAX_LOOKS = 3;
const MAX_GONE = 60; // characters of what went
const MAX_RUN = 300; // characters of one kind in a row, but for refs; of more, the first ones and the last
const MAX_IN_RUN = 42; // the days that a calendar shows
const MIN_LEFT_OUT = 4;
const MAX_REDRAWN = 5000; // characters of what is compared to the letter
const TOOLTIP_LINE = /^tooltip "/; // a line about one
// What holds other things, and says nothing by itself.
const BARE_LINE =
  /^(?:a|article|b|br|code|div|em|figure|group|i|img|li|list|listitem|ol|p|paragraph|path|region|row|rowgroup|section|separator|span|svg|table|td|tr|ul|wbr)$/;

// What the records say of nodes, each once.
class Changes {
  constructor(records) {
    this.came = new Set();
    this.gone = new Set();
    this.from = new Map(); // of nodes that were taken out: where they stood first
    this.attributes = new Map();
    this.looks = new Map();
    const passing = new Set(); // what was not there before, or stood in such
    for (const record of records) {
      if (record.type === 'childList') this.children(record, passing);
      else if (record.type === 'characterData') this.came.add(record.target);
      else if (NOTED_ATTRIBUTES.has(record.attributeName)) this.attribute(this.attributes, record);
      else if (LOOK_ATTRIBUTES.has(record.attributeName)) this.attribute(this.looks, record);
    }
  }

  children(record, passing) {
    const unseen = UNRENDERED_TAGS.has(record.target.tagName); // as a style sheet's text: no part of what the page shows
    const within = passing.has(record.target) || isInside(record.target, passing);
    for (const node of record.addedNodes) {
      this.came.add(node);
      if (!this.gone.has(node)) passing.add(node);
    }
    for (const node of record.removedNodes) {
      if (unseen || within || passing.has(node)) continue;
      this.gone.add(node);
      if (!this.from.has(node)) this.from.set(node, record.target);
    }
  }

  attribute(known, record) {
    const old = known.get(record.target) || new Map();
    if (!old.has(record.attributeName)) old.set(record.attributeName, record.oldValue);
    known.set(record.target, old);
  }

  // What was taken out and stands somewhere now: [node, where it stood].
  moves() {
    return [...this.from].filter(
      ([node]) =>
        node.isConnected &&
        nodeTypeOf(node) === Node.ELEMENT_NODE &&
        !UNRENDERED_TAGS.has(node.tagName),
    );
  }
}

// Whether something stood there before, and did not come within the action, which tells nothing of what came and went.
const wasThereBefore = (el, state, changes) =>
  state.shown.has(el) || !(changes.came.has(el) || isInside(el, changes.came));

// Whether what was taken out had not shown before: nobody misses it.
const wasHiddenBefore = (node, { hidden }, { from }) =>
  hidden.has(node) || hidden.has(from.get(node)) || isInside(from.get(node), hidden);

// Whether something may not show any more: attributes, classes or nodes changed, or a box that rules ask for.
const mayBeHidden = (state) =>
  state.looksDiffer || /^(?:checkbox|radio)$/.test(controlOf(state.target).type);

// Lines about what came, what went and what is different. `own`: a control whose value is told apart.
function describeChanges(state, most, own) {
  const changes = new Changes(state.records);
  const opened = [...changes.attributes]
    .filter(([el, old]) => old.get('open') === null && el.hasAttribute('open') && isBoxless(el))
    .map(([el]) => el);
  const moves = changes.moves();
  const showing = new Set([
    ...opened,
    ...[...state.hidden].filter((el) => el.isConnected && canBeSeen(el)),
    ...moves
      .map(([node]) => node)
      .filter((node) => wasHiddenBefore(node, state, changes) && canBeSeen(node)),
  ]);
  const moved = new Set(moves.map(([node]) => node));
  const fresh = new Set([...changes.came].filter((node) => !moved.has(node)));
  const revealed = [...showing].filter(
    (el) => el.isConnected && !isInside(el, showing) && !isInside(el, fresh) && !fresh.has(el),
  );
  const shown = new Set(revealed);
  const typed = (node) => own?.isContentEditable && own.contains(node); // what it holds now is told
  const all = [...fresh].filter(
    (node) => node.isConnected && !isInside(node, shown) && !typed(node) && !isDrawnValue(node),
  );
  const out = [...changes.gone].filter(
    (node) =>
      !node.isConnected &&
      !isInside(node, changes.gone) &&
      !typed(changes.from.get(node)) &&
      !isDrawnValue(node, changes.from.get(node)) &&
      !wasHiddenBefore(node, state, changes),
  );
  const anew = redrawnPairs(all, out);
  const [came, gone] = [
    all.filter((node) => !anew.came.has(node)),
    out.filter((node) => !anew.gone.has(node)),
  ];
  // Lists that are out of sight are not told, and the options of one that was shown with it.
  const isToldOf = (node) => {
    const list = selectAround(node);
    return list !== null && !isInside(list, shown) && (mayShow(list) || isLabelShown(list));
  };
  const options = optionChanges(
    came.filter((node) => isOption(node) && isToldOf(node)),
    [...changes.from].filter(
      ([node, from]) => !node.isConnected && node.tagName === 'OPTION' && isToldOf(from),
    ),
  );
  const hid = [
    ...changes.attributes.keys(),
    ...changes.looks.keys(),
    ...state.popovers.keys(),
    ...(mayBeHidden(state) ? state.shown : []),
  ].filter(
    (el) =>
      el.isConnected &&
      !canBeSeen(el) &&
      !(isBoxless(el) && [...el.children].some(isShown)) &&
      !isInside(el, state.hidden) &&
      !state.hidden.has(el) &&
      wasThereBefore(el, state, changes),
  );
  const concealed = new Set(
    hid.filter((el) => !parentElementOf(el) || canBeSeen(parentElementOf(el))),
  );
  const again = addedLines([...anew.came], most).filter((line) => line.includes('[ref=e'));
  const added = [
    ...revealed.flatMap(revealedLines),
    ...pickerLines(state.target),
    ...options.added,
    ...addedLines(
      came.filter((node) => !isOption(node)),
      most,
    ),
    ...again,
  ];
  const removed = [
    ...gone.filter((node) => !options.lists.has(changes.from.get(node))).map(removedLine),
    ...options.removed,
    ...[...concealed].map(hiddenLine),
  ].filter(Boolean);
  const [cameOnly, wentOnly] = dropBareLines(...withoutRedrawn(added, removed));
  const values = valueLines(state.values, own, (el) => isInside(el, shown) || isInside(el, fresh));
  const differing = withoutIcons(
    [...changes.attributes].filter(
      ([el]) =>
        el.isConnected &&
        (mayShow(el) || isLabelShown(el)) &&
        !isInside(el, changes.came) &&
        !shown.has(el) &&
        !isInside(el, shown) &&
        !concealed.has(el),
    ),
  );
  const attributes = [
    ...iconChange(state),
    ...differing.flatMap(([el, old]) =>
      changeLines(el, old, state.values, revealed.length + concealed.size > 0),
    ),
  ];
  const told = {
    added: foldRuns(cameOnly, shortenRun),
    removed: foldRuns(wentOnly, shortenRun),
    moved: [
      ...options.moved,
      ...moveLines(
        moves.filter(
          ([node]) =>
            !shown.has(node) &&
            !isInside(node, shown) &&
            !(showing.has(node) && isInside(node, fresh)), // told by what is in it
        ),
        most,
      ),
    ],
    values,
    attributes: joinSameChanges(dropUnchosen(attributes)),
  };
  if (
    Object.entries(told).some(([key, lines]) =>
      lines.some((line) => key !== 'removed' || !TOOLTIP_LINE.test(line)),
    )
  )
    told.removed = told.removed.filter((line) => !TOOLTIP_LINE.test(line));
  const quiet = Object.values(told).every((lines) => !lines.length);
  if (quiet && !own)
    told.attributes = [
      ...joinSameChanges(differing.flatMap(([el, old]) => hintLines(el, old))),
      ...[...changes.looks].flatMap(([el, old]) =>
        el.isConnected ? styleChangeLines(el, old) : [],
      ),
    ].slice(0, MAX_LOOKS);
  return told;
}

// What was taken out, and what came in its stead that is the same to the letter: a page that draws itself anew,
// of which new refs alone are news.
function redrawnPairs(came, gone) {
  const pairs = { came: new Set(), gone: new Set() };
  const waiting = new Map(gone.filter(isShortElement).map((node) => [node.outerHTML, node]));
  if (!waiting.size) return pairs;
  const inside = new Set(came);
  for (const node of came) {
    const went = isShortElement(node) && !isInside(node, inside) && waiting.get(node.outerHTML);
    if (!went || pairs.gone.has(went)) continue;
    pairs.came.add(node);
    pairs.gone.add(went);
  }
  return pairs;
}

const isShortElement = (node) =>
  nodeTypeOf(node) === Node.ELEMENT_NODE &&
  !clobbered(node) &&
  !isOption(node) &&
  textContentOf(node).length < MAX_REDRAWN;

// Without the pictures in what is different itself: such a one names it, or shows what state it is in.
function withoutIcons(differing) {
  const all = new Set(differing.map(([el]) => el));
  return differing.filter(([el]) => roleOf(el) !== 'img' || !isInside(el, all));
}

// What a line says, whatever stands around it: text by its words, what can be acted on by role and name.
function lineGist(line) {
  const [, role, name] = /^([\w-]+) "((?:[^"\\]|\\.)*)"/.exec(line) || [];
  return role && WIDGETS.has(role) ? `${role} ${name}` : (name ?? line.replace(/^text: /, ''));
}

const quotedNameIn = (line) => /^[^"]* "((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? '';

// Of a long run the first ones, how many more there are, and the last: what stands between can be acted on by words.
function shortenRun(run, kind) {
  if (kind === 'text') return run;
  let room = MAX_RUN;
  const fitting = run.findIndex(
    (line, at) => at === MAX_IN_RUN || (room -= withoutRef(line).length - kind.length) < 0,
  );
  const kept = fitting < 0 ? run.length : Math.max(fitting, MIN_RUN);
  const left = run.length - kept - 1;
  return left < MIN_LEFT_OUT
    ? run
    : [...run.slice(0, kept), `… ${left} more (find lists them) | ${stripKind(run.at(-1), kind)}`];
}

function revealedLines(el) {
  const lines = foldRuns(outlineLinesOf(el), shortenRun);
  const left = lines.length - MAX_REVEALED;
  return left < MIN_LEFT_OUT
    ? lines
    : [...lines.slice(0, MAX_REVEALED), `… ${left} more lines in ${shortLabelOf(el)}`];
}

// Without what went and came again with the same words: a page that draws itself anew. New refs are told.
function withoutRedrawn(added, removed) {
  const came = new Set(added.flatMap((line) => [lineGist(line), quotedNameIn(line)]));
  const went = new Set(removed.map(lineGist));
  const fresh = added.filter((line) => line.includes('[ref=e') || !went.has(lineGist(line)));
  return [[...new Set(fresh)], [...new Set(removed)].filter((line) => !came.has(lineGist(line)))];
}

// Without boxes of which nothing is told but what they are, unless there is nothing else.
function dropBareLines(...sides) {
  const telling = sides.map((lines) => lines.filter((line) => !BARE_LINE.test(line)));
  return telling.some((lines) => lines.length) ? telling : sides;
}

function moveLines(moves, most) {
  const isOptionMove = ([node]) => isOption(node);
  const elsewhere = moves
    .filter((move) => isOptionMove(move) && move[0].closest('select') !== move[1])
    .map(([node]) => node);
  const shown = moves.filter(
    (move) =>
      !isOptionMove(move) &&
      visibleBoxOf(move[0]) &&
      !moves.some(([other]) => other !== move[0] && nodeContains(other, move[0])),
  );
  const byList = new Map();
  for (const move of shown) {
    const list = move[0].parentElement;
    byList.set(list, [...(byList.get(list) ?? []), move]);
  }
  const lines = [...byList].flatMap(([list, moved]) =>
    list && moved.length > MAX_MOVES_TOLD
      ? [movedTogether(list, moved)]
      : moved.map((move) => moveLine(list, move)),
  );
  return [...optionLines(elsewhere, 'now in'), ...lines.slice(0, most)];
}

function moveLine(list, [node, from]) {
  const items = list ? siblingItems(node) : [];
  const into = list === from ? '' : ` of ${listLabel(list, node)}`;
  return `${shortLabelOf(node)}: now item ${items.indexOf(node) + 1} of ${items.length}${into}`;
}

// Many items that went and came again are in a new order, or the list is drawn anew.
function movedTogether(list, moved) {
  const items = siblingItems(moved[0][0]);
  const [first, last] = [items[0], items.at(-1)].map((item) => quote(clip(itemText(item), 40)));
  return `${listLabel(list, moved[0][0])}: ${moved.length} of ${items.length} items put in anew, ${first} … ${last}`;
}

// The list of an item by its name, or by the heading at its head or above it: what its items hold is none.
function listLabel(list, item) {
  const role = roleOf(list) || `<${list.tagName.toLowerCase()}${list.id ? `#${list.id}` : ''}>`;
  const name = listName(list, item);
  return `${role}${name ? ` ${quote(clip(name, 60))}` : ''}${numberByElement.has(list) ? ` [ref=e${refOf(list)}]` : ''}`;
}

// Whether a control that may not be drawn itself stands in for one that is, which its label says.
const isLabelShown = (el) => labelsOf(el).some(visibleBoxOf);

// Values that differ now, whoever has changed them. isTold: whether one is told with what it stands in.
function valueLines(values, own, isTold) {
  const changes = [];
  for (const [el, before] of values) {
    const isMedia = MEDIA_TAGS.test(el.tagName);
    if ((el === own && !isMedia) || !el.isConnected || isFormOnly(el)) continue;
    const now = valueOfField(el);
    if (now === before || isTold(el) || (!visibleBoxOf(el) && !isLabelShown(el))) continue;
    if (el.type === 'radio' && now === 'unchecked') continue; // the one that is chosen now says it
    if (own && isSetAside(el) && nameOf(el, roleOf(el)) === labelBesideOf(own)) continue; // it keeps what that one holds
    changes.push([
      shortLabelOf(el),
      isMedia || el.type === 'checkbox' || el.type === 'radio'
        ? now
        : `value: ${quote(clip(before, 60))} → ${quote(clip(now, 60))}`,
    ]);
  }
  return joinSameChanges(changes);
}

function isInside(node, nodes) {
  for (let at = parentNodeOf(node) || hostOf(node); at; at = parentNodeOf(at) || hostOf(at))
    if (nodes.has(at)) return true;
  return false;
}

function addedLines(nodes, most) {
  const all = new Set(nodes);
  const lines = [];
  for (const node of nodes) {
    if (lines.length > most) break;
    if (isInside(node, all)) continue;
    if (nodeTypeOf(node) === Node.ELEMENT_NODE) lines.push(...outlineLinesOf(node));
    else if (
      nodeTypeOf(node) === Node.TEXT_NODE &&
      node.parentElement &&
      visibleBoxOf(node.parentElement) &&
      node.data.trim()
    ) {
      lines.push(`text: ${clip(squeeze(node.data))}`);
    }
  }
  return lines;
}

function outlineLinesOf(el) {
  const isRoot = el === rootElementOf(documentOf(el)); // of a document that was written anew
  if (!isRoot && !parentElementOf(el) && !hostOf(rootNodeOf(el))) return [];
  const it = new Outline({ filter: 'all' });
  const surround = viewOfParent(el);
  for (let view = surround; view; view = view.above) {
    if (view.style.display === 'none' || view.style.opacity === '0') return [];
  }
  it.root = el;
  it.active = activeElementOf(documentOf(el));
  it.special = implicitActionsIn(documentOf(el));
  it.element(el, surround, 0, null);
  it.flush(0);
  return it.lines
    .filter(([, kind]) => kind !== FRAME)
    .map(([, kind, text]) =>
      clip(kind === TEXT ? `text: ${text}` : text, text.startsWith('row') ? 500 : 200),
    );
}

// Whether all that something says is a tooltip, which goes as the mouse does: that is told where nothing else is.
function isTip(node) {
  if (nodeTypeOf(node) !== Node.ELEMENT_NODE) return false;
  const tip = roleOf(node) === 'tooltip' ? node : [...allMatches(node, '[role=tooltip]')][0];
  return tip !== undefined && squeeze(collectTexts(tip, '')) === squeeze(collectTexts(node, ''));
}

function removedLine(node) {
  const words =
    nodeTypeOf(node) === Node.COMMENT_NODE
      ? ''
      : node.tagName === 'TR'
        ? [...node.children].map(textContentOf).join(' ')
        : textContentOf(node);
  const text = clip(squeeze((words || '').slice(0, 400)), MAX_GONE);
  if (nodeTypeOf(node) !== Node.ELEMENT_NODE) return text && `text: ${text}`;
  if (UNRENDERED_TAGS.has(node.tagName)) return '';
  const role = removedKind(node);
  const said =
    node.getAttribute('aria-label') ||
    (node.childElementCount ? clip(squeeze(collectTexts(node, '').slice(0, 400)), MAX_GONE) : text);
  return said ? `${role} ${quote(said)}` : role;
}

const removedKind = (el) =>
  isTip(el) ? 'tooltip' : roleOf(el).replace('none', '') || el.tagName.toLowerCase();

// What does not show any more; nothing of what never had any words.
function hiddenLine(el) {
  if (UNRENDERED_TAGS.has(el.tagName)) return '';
  const role = removedKind(el);
  const name =
    (CONTAINER_ROLES.has(role) && nameOf(el, role)) || squeeze(collectTexts(el, '').slice(0, 400));
  return name ? `${role} ${quote(clip(name, 60))} (hidden)` : '';
}

Object.assign(globalThis.openchrome, { watchPage });
