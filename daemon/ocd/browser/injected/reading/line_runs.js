// Runs of lines of one kind, joined: the days of a calendar, the buttons of a bar.

const MIN_RUN = 4; // lines of one kind in a row that are folded into one
const MAX_FOLDED = 400; // characters

// Lines, with their runs of at least so many joined.
function foldRuns(lines, shorten = (run) => run, fewest = MIN_RUN) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const kind = kindOfLine(lines[at]);
    let end = at + 1;
    while (kind && end < lines.length && kindOfLine(lines[end]) === kind) end++;
    const run = lines.slice(at, end);
    out.push(...(run.length >= fewest ? joinRun(kind, shorten(run, kind)) : run));
    at = end;
  }
  return out;
}
const kindOfLine = (line) =>
  /^(?:text|clickable|draggable|link|button|option|menuitem|radio|tab|gridcell|treeitem|listitem(?=:))(?=[: ])/.exec(
    line,
  )?.[0] || '';
const stripKind = (line, kind) =>
  line.startsWith(kind) ? line.slice(kind.length).replace(/^[: ]+/, '') : line;

function joinRun(kind, run) {
  const lines = [];
  for (const words of run.map((line) => stripKind(line, kind))) {
    const last = lines.at(-1);
    if (last && (last.length + words.length < MAX_FOLDED || words[0] === '…'))
      lines[lines.length - 1] = `${last} | ${words}`;
    else lines.push(`${kind}: ${words}`);
  }
  return lines;
}
