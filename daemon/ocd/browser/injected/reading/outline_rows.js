// Rows of tables and grids on one line each.

const COLUMN_HEADER = /^columnheader(?: |$)/;
const GRID_ROLES = new Set(['grid', 'treegrid', 'table']);

// A row whose cells are simple becomes one line: `row: one | two | link "three" [ref=e3]`. Returns what
// its cells say, null if it stays as it is.
function joinRow(lines, at) {
  const depth = lines[at][0];
  const cells = []; // each its role, and what it holds
  for (let i = at + 1; i < lines.length; i++) {
    const { 0: level, 1: kind, 2: text } = lines[i];
    if (level === depth + 1 && kind === BOX) {
      if (!CELL_ROLES.has(text) && !CELL.test(text)) return null;
      cells.push([text]);
    } else if (level === depth + 1 && (kind === TEXT || kind === LEAF)) {
      cells.push(['cell', escapeInRow(kind, text)]);
    } else if (level === depth + 2 && (kind === TEXT || kind === LEAF)) {
      cells[cells.length - 1].push(escapeInRow(kind, text));
    } else return null;
  }
  const header = cells.length > 0 && cells.every(([head]) => COLUMN_HEADER.test(head));
  shortenAddresses(cells);
  const words = cells.map((cell) => {
    if (!CELL_ROLES.has(cell[0])) {
      const head = header ? cell[0].replace(COLUMN_HEADER, '') : cell[0];
      return cell.length > 1 ? `${head}: ${cell.slice(1).join(' ')}` : head;
    }
    return cell.length === 2 ? cell[1] : cell.slice(1).join(' ');
  });
  const line = lines[at];
  lines.length = at + 1;
  line[2] = `${line[2].replace(/^row/, header ? 'headers' : 'row')}: ${words.join(' | ')}`;
  line[1] = LEAF;
  return words;
}

const escapeInRow = (kind, text) => (kind === TEXT ? escapeBars(text) : text);

// The children of a row by their height, null if they have but one.
function rowBandsOf(el) {
  if (!firstElementChildOf(el)?.hasAttribute('style')) return null;
  const kids = [...el.children];
  if (kids.length < 2 || !kids.every((kid) => kid.style?.top)) return null;
  const heights = new Map();
  for (const kid of kids) {
    const top = parseFloat(kid.style.top);
    if (!heights.has(top)) heights.set(top, []);
    heights.get(top).push(kid);
  }
  if (heights.size < 2) return null;
  const left = (kid) => parseFloat(kid.style.left) || 0;
  return [...heights]
    .sort(([a], [b]) => a - b)
    .map(([, band]) => band.sort((a, b) => left(a) - left(b)));
}

// The columns of a row's cells by their numbers, empty if one has none.
function columnsOf(row) {
  const columns = [...childElementsOf(row)]
    .filter((cell) => CELL_ROLES.has(roleOf(cell)))
    .map((cell) => Number(cell.getAttribute('aria-colindex')));
  return columns.every((column) => column > 0) ? columns : [];
}

// Grids draw the rows and columns that stay in place once more, over the others, and the parts of a
// row in boxes of their own. Rows of one number are one row, unless their cells say different things.
// Returns how many refs are gone with what was told twice.
function mergeDrawnRows(lines, rows) {
  let refs = 0;
  const gone = new Set();
  for (const parts of groupItems(rows, (row) => row.key).values()) {
    const cells = parts.length > 1 ? mergedCells(parts) : null;
    if (cells === null) continue;
    const [{ line }, ...others] = parts;
    const before = countRefs(parts.map((part) => part.line[2]).join(' '));
    const words = [...cells].sort(([one], [other]) => one - other).map(([, text]) => text);
    line[2] = `${headOfRow(parts[0])}: ${words.join(' | ')}`;
    refs += before - countRefs(line[2]);
    for (const other of others) gone.add(other.line);
  }
  for (let at = lines.length - 1; gone.size > 0 && at >= 0; at--)
    if (gone.delete(lines[at])) lines.splice(at, 1);
  return refs;
}

const countRefs = (text) => text.split(REF_MARK).length - 1;
const headOfRow = ({ line, words }) =>
  line[2].slice(0, line[2].length - words.join(' | ').length - ': '.length);

// What stands in each column, null if parts of the row contradict each other. What is drawn later
// covers what is the same.
function mergedCells(parts) {
  const head = withoutRef(headOfRow(parts[0]));
  const cells = new Map();
  for (const part of parts) {
    if (withoutRef(headOfRow(part)).replace('headers', 'row') !== head.replace('headers', 'row'))
      return null;
    for (const [at, column] of part.columns.entries()) {
      const [known = '', text] = [cells.get(column), part.words[at]];
      if (known !== '' && text !== '' && withoutRef(known) !== withoutRef(text)) return null;
      if (text !== '' || known === '') cells.set(column, text);
    }
  }
  return cells;
}

const withoutRef = (line) => line.replace(/ ?\[ref=e\d+\]/, '');
