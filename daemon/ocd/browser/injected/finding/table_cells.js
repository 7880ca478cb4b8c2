// Cells by the words that head their column and their row: "Count of Nut".

const TABLES = 'table, [role=grid], [role=treegrid], [role=table]';
// The first of several roles is the one that counts: role="gridcell button".
const CELLS_OF_ROW = '[role^=cell], [role^=gridcell], [role^=rowheader], [role^=columnheader]';
const HEAD_CELLS = 'th, thead > * > *, [role=columnheader]';
const ACTS_IN_CELL = `${FIELD_SELECTOR}, a[href]`;
const MAX_CELLS = 20000; // of a table that is gone through
const CROSSING_SCORE = 75; // the heads say these words and no others: surer than a control in a row that has some of them
const PARTIAL_CROSSING_SCORE = 62; // that of the column says more

// What stands where a column and a row meet that have all the words between them.
function cellsAtCrossing(asked, among) {
  if (asked.line !== null || asked.rest.length < 2) return [];
  const has = (table) => {
    const text = textContentOf(table).toLowerCase();
    return asked.rest.every((word) => text.includes(word));
  };
  const cells = matchesEverywhere({ selector: TABLES, pierce: true })
    .filter(has)
    .flatMap((table) => crossingsIn(table, asked));
  return cells
    .filter(({ cell }) => visibleBoxOf(cell))
    .flatMap(({ cell, score }) =>
      controlsInCell(cell, among).map((one) => ({ ...one, within: null, score, at: 0 })),
    );
}

function controlsInCell(cell, among) {
  const controls = [...allMatches(cell, ACTS_IN_CELL)].filter((el) => visibleBoxOf(el));
  if (controls.length > 0)
    return controls.map((el) => {
      const role = roleOf(el);
      return { el, role, name: nameOf(el, role), acts: true };
    });
  if (among === 'fields' || among === 'files') return [];
  return [
    {
      el: cell,
      role: roleOf(cell) || 'cell',
      name: squeeze(visibleTextOf(cell, MAX_SAID)),
      acts: false,
    },
  ];
}

function crossingsIn(table, { rest: asked, hint }) {
  const { heads, rows } = headedRows(table, asked);
  return rows.flatMap((row) => {
    // Most cells have none of the words: those are not taken apart.
    const words = row.map((cell) =>
      hint === null || hint.test(textContentOf(cell)) ? wordsOf(spacedTextOf(cell)) : [],
    );
    const own = cellThatSaysMost(words, asked);
    if (own < 0) return [];
    const said = words[own];
    const left = asked.filter((word) => !said.includes(word));
    const column = columnWith(heads, left, own);
    return column < 0 || row[column] === undefined
      ? []
      : [
          {
            cell: row[column],
            score: heads[column].length > left.length ? PARTIAL_CROSSING_SCORE : CROSSING_SCORE,
          },
        ];
  });
}

const NO_ROWS = { heads: [], rows: [] };

// The words at the head of each column, and the rows below.
function headedRows(table, asked) {
  if (isDrawnByColumns(table)) {
    const rows = rowsByIndex(table);
    const heads = headsAboveColumns(table).map((texts) =>
      wordsOf(texts.map(spacedTextOf).join(' ')),
    );
    return { heads, rows };
  }
  // The heads of most tables have none of the words: those tables are not taken apart.
  const isAsked = (cell) => wordsOf(spacedTextOf(cell)).some((word) => asked.includes(word));
  if (![...allMatches(table, HEAD_CELLS)].some(isAsked)) return NO_ROWS;
  const rows = cellGrid(table);
  const top = rows.findIndex(isHeadRow);
  if (top < 0) return NO_ROWS;
  return {
    heads: rows[top].map((cell) => wordsOf(spacedTextOf(cell))),
    rows: rows.slice(top + 1),
  };
}

// Some grids draw their cells column by column: ARIA's numbers alone say which stand in one row.
const INDEXED_CELLS = '[aria-rowindex][aria-colindex]';
const isDrawnByColumns = (table) =>
  firstMatch(table, INDEXED_CELLS) !== null && firstMatch(table, 'tr, [role=row]') === null;

function rowsByIndex(table) {
  const rows = new Map();
  for (const cell of allMatches(table, INDEXED_CELLS)) {
    const [row, column] = ['aria-rowindex', 'aria-colindex'].map((one) =>
      Number(getAttributeOf(cell, one)),
    );
    if (!rows.has(row)) rows.set(row, []);
    if (column > 0 && column <= MAX_CELLS) rows.get(row)[column - 1] = cell;
  }
  return [...rows.values()].filter((row) => row.length > 0 && !row.includes(undefined));
}

// Of such a grid, the texts that stand over each column.
function headsAboveColumns(table) {
  if (!isDrawnByColumns(table)) return [];
  const first = rowsByIndex(table)[0] ?? [];
  const boxes = first.map((cell) => boundingBoxOf(cell));
  const texts = [...allMatches(table, '*')].filter(
    (el) =>
      firstElementChildOf(el) === null &&
      !BLANK_TEXT.test(textContentOf(el)) &&
      !closestMatch(el, INDEXED_CELLS),
  );
  const placed = texts.map((el) => [el, boundingBoxOf(el)]);
  return boxes.map(({ left, right, top }) =>
    placed
      .filter(
        ([, box]) =>
          box.bottom <= top + 1 &&
          box.left < right &&
          box.right > left &&
          (box.left + box.right) / 2 < right &&
          (box.left + box.right) / 2 > left,
      )
      .map(([el]) => el),
  );
}

// The cell that names the row: of those with nothing but words that are asked for the one with most of them; -1 for none.
function cellThatSaysMost(cells, asked) {
  let best = -1;
  for (const [at, words] of cells.entries())
    if (areWordsIn(words, asked) && !(words.length <= cells[best]?.length)) best = at;
  return best;
}

const areWordsIn = (words, asked) =>
  words.length > 0 && words.length < asked.length && words.every((word) => asked.includes(word));
// Its corner may be a cell of another kind that says nothing.
const isHeadRow = (row) =>
  row.length > 1 &&
  row
    .slice(1)
    .concat(BLANK_TEXT.test(textContentOf(row[0])) ? [] : row[0])
    .every((cell) => cell.matches(HEAD_CELLS));

// The column with the shortest head of those that have all the words; -1 for none.
function columnWith(heads, words, but) {
  let best = -1;
  for (const [at, head] of heads.entries()) {
    if (at === but || !words.length || !words.every((word) => head.includes(word))) continue;
    if (best < 0 || head.length < heads[best].length) best = at;
  }
  return best;
}

// The cells of each row by their column, those that span several in each of these.
function cellGrid(table) {
  const rows = [];
  let count = 0;
  const all = rowsOfTable(table);
  for (const [at, row] of all.entries()) {
    const placed = (rows[at] ||= []);
    let column = 0;
    for (const cell of row) {
      while (placed[column] !== undefined) column++;
      const width = Math.min(cell.colSpan || 1, MAX_CELLS);
      const height = Math.min(cell.rowSpan || 1, all.length - at);
      if ((count += width * height) > MAX_CELLS) return completeRows(rows);
      for (let down = 0; down < height; down++)
        for (let right = 0; right < width; right++) (rows[at + down] ||= [])[column + right] = cell;
    }
  }
  return completeRows(rows);
}

const completeRows = (rows) =>
  rows.map((row) => [...row]).filter((row) => row.length > 0 && !row.includes(undefined));

function rowsOfTable(table) {
  const rows = tagOf(table) === 'TABLE' ? [...table.rows].map((row) => [...row.cells]) : [];
  return rows.length > 0
    ? rows
    : [...allMatches(table, '[role=row]')].map((row) => [...allMatches(row, CELLS_OF_ROW)]);
}
