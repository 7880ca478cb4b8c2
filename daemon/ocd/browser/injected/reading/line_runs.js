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

// A state that all of them have is told once: `menuitem haspopup: "File" [ref=e1] | "Edit" [ref=e2]`.
function joinRun(kind, run) {
  const shared = sharedStates(run);
  const lines = [];
  for (const words of run.map((line) => stripKind(line, kind))) {
    const last = lines.at(-1);
    const told = shared && words[0] !== '…' ? words.slice(0, -shared.length) : words;
    if (last && (last.length + told.length < MAX_FOLDED || told[0] === '…'))
      lines[lines.length - 1] = `${last} | ${told}`;
    else lines.push(`${kind}${shared}: ${told}`);
  }
  return lines;
}

const STATES_AT_END = /\[ref=e\d+\]((?: [a-z]+)+)$/;

// The states that the first of several lines ends with, if all do so; what is left of a long run (`… 12 more`) has none.
function sharedStates(run) {
  const states = run.length > 1 ? (STATES_AT_END.exec(run[0])?.[1] ?? '') : '';
  return run.every((line) => line[0] === '…' || STATES_AT_END.exec(line)?.[1] === states)
    ? states
    : '';
}
