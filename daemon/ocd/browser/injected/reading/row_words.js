// The words of a table's rows, without what the row or the one above it has told.

const ROW = 'row: ';
const ROW_HEAD = /^row(?: \[ref=e\d+\])?(?: [a-z]+)*: /;
const LINK_TARGET = / → (\S+)$/;
const MIN_SHARED = 6; // characters of an address that others in its row begin with
const NAMED_REF = /\b([a-z]+) "((?:[^"\\]|\\.)*)" \[ref=/g;
const MIN_REPEATED = 16; // characters that a name has from those above it
const LONG_NAME = / "(?:[^"\\]|\\.){16}/; // what may begin one of so many
const MIN_EQUAL = 24; // of one that is the same
const PREFIX_END = '\0'; // of a beginning: in no name

// Addresses that go on from the first of their row: `→ /group/ | link "Add" → …add/`.
function shortenAddresses(cells) {
  let first = '';
  for (const cell of cells) {
    for (let at = 1; at < cell.length; at++) {
      const part = cell[at];
      const address = part.includes(' → ') ? LINK_TARGET.exec(part)?.[1] : undefined;
      if (address === undefined) continue;
      if (first === '') first = address;
      else if (first.length >= MIN_SHARED && address.startsWith(first) && first.endsWith('/'))
        cell[at] = `${part.slice(0, part.length - address.length)}…${address.slice(first.length)}`;
    }
  }
}

// Of a long run of rows only the first and the last matter to the lines around them. Those between are
// one line of a kind of its own while these are rewritten, which is a fifth of the reading of a large table.
const MIN_FOLDED_ROWS = 8;
const ROWS = 4; // a kind of line: [depth, ROWS, '', rows]

function foldRows(lines) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const depth = lines[at][0];
    let end = at;
    while (end < lines.length && lines[end][0] === depth && isFoldable(lines[end])) end++;
    const last = end - 1;
    if (end - at < MIN_FOLDED_ROWS) out.push(...lines.slice(at, (end = Math.max(end, at + 1))));
    else out.push(lines[at], [depth, ROWS, '', lines.slice(at + 1, last)], lines[last]);
    at = end;
  }
  return out;
}

const isFoldable = ({ 1: kind, 2: words }) =>
  kind === LEAF && words.startsWith(ROW) && !words.includes(DESCRIPTION_KEY);

function unfoldRows(lines) {
  const out = [];
  for (const line of lines) {
    if (line[1] === ROWS) for (const [, kind, words] of line[3]) out.push([line[0], kind, words]);
    else out.push(line);
  }
  return out;
}

// Names that begin as those above them do: `checkbox "… Book 7"` below `checkbox "Select for an action Book 6"`.
function shortenRowNames(lines) {
  const above = new Map(); // by depth: role and beginning of the names in the row before
  const shorten = (line, depth) => {
    const { 1: kind, 2: words } = line;
    if (kind !== LEAF || !ROW_HEAD.test(words) || !words.includes(REF_MARK)) {
      if (!SEPARATE_LINE.test(words)) above.delete(depth);
      return line;
    }
    const before = above.get(depth) ?? [];
    const begun = [];
    above.set(depth, begun);
    if (!LONG_NAME.test(words)) return line;
    return [
      depth,
      kind,
      words.replace(NAMED_REF, (whole, role, name) => {
        const [kept, beginning] = before[begun.length] ?? [];
        const shared = kept === role ? sharedPrefixLength(beginning, name) : 0;
        begun.push([role, shared >= MIN_REPEATED ? `${name.slice(0, shared)}${PREFIX_END}` : name]);
        if (shared < MIN_REPEATED)
          return kept === role && beginning === name && name.length >= MIN_EQUAL
            ? `${role} "…" [ref=`
            : whole;
        return `${role} "… ${name.slice(shared)}" [ref=`;
      }),
    ];
  };
  return lines.map((line) => {
    const { 0: depth, 1: kind, 2: words, 3: rows } = line;
    for (const one of above.keys()) if (one > depth) above.delete(one);
    return kind === ROWS
      ? [depth, kind, words, rows.map((row) => shorten(row, depth))]
      : shorten(line, depth);
  });
}

// How many characters two names have in common at their beginning, as whole words, where each goes on.
function sharedPrefixLength(one, other) {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at < one.length && at < other.length ? other.lastIndexOf(' ', at - 1) + 1 : 0;
}
