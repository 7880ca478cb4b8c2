// What an outline's lines leave out because the lines around them say it.

const SEPARATOR = /^[|/·•›»‹«>]$/;
const END_OF_SENTENCE = /^[.,;:!?]$/; // after a link that ends it
const NAMED = /^[a-z]+ "/;
const NAMED_WITHIN = new Set(['table', 'list', 'group', 'figure']);
const HEADED_ROLES = new Set([
  'group',
  'region',
  'complementary',
  'article',
  'form',
  'navigation',
  'search',
]);
const SELECTED_TAB = /^tab ("(?:[^"\\]|\\.)*") \[ref=e\d+\] selected\b/;
const PANEL = 'tabpanel';
const DESCRIPTION_KEY = ' description="';
const MIN_REPEATED_DESCRIPTION = 60; // characters that are told once
const LAST_REF = /^.*\[ref=(e\d+)\]/;
const LINE_NUMBER = /^(\d+) \[aria-hidden\]$/;
const EDITOR_LINE = /^textbox\b.* multiline\b/;
const POPUP = ' haspopup';
const OPENER =
  /\b([a-z]+(?: "(?:[^"\\]|\\.)*"| \([^()]*\))?) \[ref=e\d+\](?: [a-z]+)*? haspopup(?![\w=])/g;
const PRESSED_AROUND = /^(?:link|button) ("(?:[^"\\]|\\.)*"|\([^()]*\)) \[ref=e\d+\]/;
const PRESSED_WITHIN =
  /^(?:button|img) ("(?:[^"\\]|\\.)*"|\([^()]*\))(?: \[ref=e\d+\])?(?: \[aria-hidden\])?$/;
const MAX_DESCRIBING = 12; // lines in which a description may stand
const SAID_IN = /^(?:listitem|alert|status): /;

// Whether a line is but the stroke between two links or the full stop after one, the words of what is above it, or a picture of those beside it.
function repeatsNeighbour({ 0: depth, 1: kind, 2: words }, before, after) {
  const isBeside = (line, of) => line?.[0] === depth && line[1] === of;
  if (kind === TEXT)
    return (
      repeatsAbove(words, depth, before) ||
      [before, after].some((line) => isBeside(line, LEAF) && isFieldNamed(line[2], words)) ||
      (words.length === 1 &&
        isBeside(before, LEAF) &&
        (END_OF_SENTENCE.test(words) || (SEPARATOR.test(words) && isBeside(after, LEAF))))
    );
  return (
    repeatsPressed(words, depth, before, after) ||
    (words.startsWith('img "') &&
      [before, after].some((line) => isBeside(line, TEXT) && words === `img ${quote(line[2])}`))
  );
}

// Whether a line is that of the one button or picture in a link or a button, which it names.
function repeatsPressed(words, depth, before, after) {
  if (before?.[0] !== depth - 1 || after?.[0] >= depth) return false;
  const name = PRESSED_WITHIN.exec(words)?.[1];
  return name !== undefined && PRESSED_AROUND.exec(before[2])?.[1] === name;
}

// Whether a text stands in the line before it: as the name of what it is in, as the value of what it is beside.
function repeatsAbove(words, depth, before) {
  if (!before || words.length > MAX_WORDS) return false;
  if (before[0] === depth)
    return before[1] === LEAF && before[2].endsWith(`] value=${quote(words)}`);
  return before[0] === depth - 1 && isNamed(before[2], words);
}

// Whether a line is that of a field that is named by the words before it, or by what it shows while it is empty.
const isFieldNamed = (line, words) =>
  words.length <= MAX_SHORT_TEXT && FIELDS.has(line.split(' ', 1)[0]) && isNamed(line, words);

// Whether a line is that of a thing with a ref whose name is these words.
const isNamed = (line, words) =>
  NAMED.test(line) && line.slice(line.indexOf(' ') + 1).startsWith(`${quote(words)} [`);

// A box by its role alone where the first thing in it is a link, a button or a heading of the same name.
function dropRepeatedName(line, first) {
  const { 0: depth, 1: kind, 2: words } = line;
  if (kind !== BOX || first?.[0] !== depth + 1) return line;
  const role = words.split(' ', 1)[0];
  if (role === words) return line;
  const name = words.slice(role.length);
  const isTold =
    (NAMED_WITHIN.has(role) &&
      ['link', 'button'].some((one) => first[2].startsWith(`${one}${name} [ref=`))) ||
    (HEADED_ROLES.has(role) && first[2].startsWith(`heading${name} [`));
  return isTold ? [depth, kind, role] : line;
}

// A panel without the name of its tab, where that is the last of those told before it that is selected.
function dropNamesOfPanels(lines) {
  let selected = '';
  if (!anyBegins(lines, PANEL)) return lines;
  return lines.map((line) => {
    const { 0: depth, 1: kind, 2: words } = line;
    if (words.startsWith('tab "')) selected = SELECTED_TAB.exec(words)?.[1] ?? selected;
    return selected !== '' && words.startsWith(`${PANEL} ${selected}`)
      ? [depth, kind, PANEL + words.slice(PANEL.length + 1 + selected.length)]
      : line;
  });
}

// A field without the description that the lines after it tell.
function dropRepeatedDescription(line, at, lines) {
  const { 0: depth, 1: kind, 2: words } = line;
  const from = kind === LEAF ? words.lastIndexOf(DESCRIPTION_KEY) : -1;
  if (from < 0) return line;
  const description = words.slice(from + DESCRIPTION_KEY.length - 1);
  const told =
    isRepeatedBeside(
      description,
      depth,
      lines[at - 1],
      lines.slice(at + 1, at + 1 + MAX_DESCRIBING),
    ) || isSaidAround(description, depth, lines, at);
  return told ? [depth, kind, words.slice(0, from)] : line;
}

// Whether the texts right before and right after a line say in pieces what is quoted.
function isSaidAround(quoted, depth, lines, at) {
  const isText = (line) => line?.[0] === depth && line[1] === TEXT && line[2] !== '';
  let rest = quoted.slice(1, -1);
  for (const place of [at - 1, at - 2, at + 1, at + 2]) {
    if (isText(lines[place]) && (Math.abs(at - place) === 1 || isText(lines[(at + place) / 2])))
      rest = rest.replace(quote(lines[place][2]).slice(1, -1), '');
  }
  return BLANK.test(rest);
}

// Whether the text before a line, or the texts and items after it, say what is quoted.
function isRepeatedBeside(quoted, depth, before, after) {
  if (before?.[0] === depth && before[1] === TEXT && quote(before[2]) === quoted) return true;
  let told = '';
  for (const [inner, kind, words] of after) {
    const [head] = kind === TEXT ? [''] : (SAID_IN.exec(words) ?? []);
    if (inner < depth || (head === undefined && words !== 'list')) return false;
    if (words === 'list') continue;
    const part = words.slice(head.length);
    told = told ? `${told} ${part}` : part;
    if (quote(told) === quoted) return true;
    if (!quoted.startsWith(quote(told).slice(0, -1))) return false;
  }
  return false;
}

// A long description that several things have is told with the first of them.
function tellDescriptionsOnce(lines) {
  const told = new Map();
  return lines.map((line) => {
    const { 0: depth, 1: kind, 2: words } = line;
    const from = kind === LEAF ? words.lastIndexOf(DESCRIPTION_KEY) : -1;
    if (from < 0 || words.length - from < MIN_REPEATED_DESCRIPTION) return line;
    const description = words.slice(from);
    const first = told.get(description);
    if (first !== undefined)
      return [depth, kind, `${words.slice(0, from)} description: as ${first}`];
    const [, ref] = LAST_REF.exec(words.slice(0, from)) ?? [];
    if (ref !== undefined) told.set(description, ref);
    return line;
  });
}

// That something opens, at the first of those that are called alike: the menu buttons of a list's rows.
function tellPopupsOnce(lines) {
  const told = new Set();
  const tellOnce = (whole, label) => {
    const isTold = told.has(label);
    told.add(label);
    return isTold ? whole.slice(0, -POPUP.length) : whole;
  };
  for (const line of lines)
    if (line[2].includes(POPUP)) line[2] = line[2].replace(OPENER, tellOnce);
  return lines;
}

// What an editor counts its lines by, beside the field that has them.
function dropLineNumbers(lines) {
  if (!lines.some((line) => line[2].endsWith(ARIA_HIDDEN_MARK))) return lines;
  const numberAt = (at) =>
    lines[at]?.[1] === TEXT ? LINE_NUMBER.exec(lines[at][2])?.[1] : undefined;
  const dropped = new Set();
  for (let at = 0; at < lines.length; at++) {
    const first = numberAt(at);
    if (first === undefined) continue;
    let end = at + 1;
    while (Number(numberAt(end)) === Number(first) + end - at) end++;
    if (lines[end]?.[1] === LEAF && EDITOR_LINE.test(lines[end][2]))
      for (let one = at; one < end; one++) dropped.add(one);
    at = end - 1;
  }
  return dropped.size ? lines.filter((line, at) => !dropped.has(at)) : lines;
}
