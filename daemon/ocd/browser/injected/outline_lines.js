// The lines of an outline as they are told: without what the lines around them say.

const SEPARATOR = /^[|/·•›»‹«>]$/;
const DRAGGED_LINE = /^draggable \[ref=e\d+\]: /;

const NAMED_WITHIN = new Set(['table', 'list', 'group', 'figure']);

function toldLines(lines) {
  const once = lines.filter((line, at) => !repeats(line, lines[at - 1], lines[at + 1]));
  return chained(withDraggedJoined(once.map((line, at) => withoutName(line, once[at + 1]))));
}

// Whether a line is but the stroke between two links, or a picture of the words beside it.
function repeats([depth, kind, words], ...beside) {
  if (kind === TEXT) return words.length === 1 && SEPARATOR.test(words) && beside.every((line) => line?.[0] === depth && line[1] === LEAF);
  return words.startsWith('img "') && beside.some((line) => line?.[0] === depth && line[1] === TEXT && words === `img ${quote(line[2])}`);
}

// A box by its role alone where the first thing in it is a link or a button of the same name.
function withoutName(line, first) {
  const [depth, kind, words] = line;
  const role = words.split(' ', 1)[0];
  if (kind !== BOX || first?.[0] !== depth + 1 || !NAMED_WITHIN.has(role) || role === words) return line;
  const name = words.slice(role.length);
  return ['link', 'button'].some((one) => first[2].startsWith(`${one}${name} [ref=`)) ? [depth, kind, role] : line;
}

// Things to drag that stand side by side are told in lines of several.
function withDraggedJoined(lines) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const [depth] = lines[at];
    let end = at;
    while (end < lines.length && lines[end][0] === depth && DRAGGED_LINE.test(lines[end][2])) end++;
    if (end === at) out.push(lines[at++]);
    else {
      out.push(...foldRuns(lines.slice(at, end).map(([, , words]) => words)).map((words) => [depth, LEAF, words]));
      at = end;
    }
  }
  return out;
}

// A box with one thing in it stands in the line of that: `banner > navigation "Main"`.
function chained(lines) {
  const counts = countBelow(lines);
  const out = [];
  const around = []; // of what we are in: its depth, and by how much what stands in it moves up
  for (const [at, [depth, kind, words]] of lines.entries()) {
    while (around.length && around.at(-1)[0] >= depth) around.pop();
    const moved = around.at(-1)?.[1] ?? 0;
    const joins = counts[at - 1] === 1 && lines[at - 1][0] < depth && standsBefore(lines[at - 1], lines[at]);
    if (joins) out.push([out.at(-1)[0], kind, `${out.pop()[2]} > ${words}`]);
    else out.push([depth - moved, kind, words]);
    around.push([depth, joins ? moved + 1 : moved]);
  }
  return out;
}

const A_LINE = /^(?:row|headers|iframe)\b/; // what is a line of its own

function standsBefore([, kind, words], [, inner, held]) {
  return kind === BOX && !A_LINE.test(words) && (inner === LEAF || inner === BOX) && !A_LINE.test(held);
}

// How many lines stand directly below each.
function countBelow(lines) {
  const counts = new Uint32Array(lines.length);
  const around = [];
  for (const [at, [depth]] of lines.entries()) {
    while (around.length && lines[around.at(-1)][0] >= depth) around.pop();
    if (around.length) counts[around.at(-1)]++;
    around.push(at);
  }
  return counts;
}
