// Editors of rich text and of code: what they hold, and how text gets into them as it is.

// A code editor draws its lines itself: what has the focus in it only takes the keys.
const CODE_INPUTS =
  '.monaco-editor .inputarea, .monaco-editor .native-edit-context, .ace_text-input, .CodeMirror textarea, .CodeMirror-code[contenteditable], .cm-content';
const CODE_EDITORS = '.monaco-editor, .ace_editor, .CodeMirror, .cm-editor';
const CODE_LINES = '.view-line, .ace_line, .CodeMirror-line, .cm-line';
const COLLAPSES = /^(?:normal|nowrap)$/;
const WRITING_MS = 500; // an editor that draws what it was given later than this holds something else

function codeInputOf(el) {
  if (clobbered(el) || !el.matches(`${CODE_EDITORS}, ${CODE_LINES}`)) return null;
  return closestAround(el, CODE_EDITORS)?.querySelector(CODE_INPUTS) || null;
}

function takesCode(control) {
  if (control.editContext || control.matches(CODE_INPUTS)) return true;
  if (control.tagName !== 'TEXTAREA') return false;
  const { width, height } = control.getBoundingClientRect();
  return Math.min(width, height) < 4 || getComputedStyle(control).opacity === '0';
}

// What a code editor shows of its text: long ones draw no other lines.
function visibleCode(control) {
  const editor = closestAround(control, CODE_EDITORS);
  const lines = editor ? [...editor.querySelectorAll(CODE_LINES)] : [];
  if (!lines.length) return control.value ?? editorLines(control).join('\n');
  const placed = lines.map((line) => [
    line.getBoundingClientRect().top,
    withPlainSpaces(textContentOf(line) || ''),
  ]);
  return placed
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('\n');
}

const withPlainSpaces = (text) => text.replace(/\u00a0/g, ' ').replace(/[\u200b\ufeff]/g, '');

// The lines of rich text, as they are drawn: blocks and line breaks divide them.
function editorLines(root) {
  const lines = [];
  let line = '';
  let begun = false;
  const end = () => {
    lines.push(line);
    line = '';
    begun = false;
  };
  const add = (text, collapses) => {
    const parts = (collapses ? text.replace(/[\t\n\r ]+/g, ' ') : text).split('\n');
    for (const part of parts.slice(0, -1)) {
      line += part;
      end();
    }
    const last = parts[parts.length - 1];
    line += last;
    begun ||= last !== '' && !(collapses && last === ' ');
  };
  const walk = (node, collapses) => {
    if (nodeTypeOf(node) === Node.TEXT_NODE) return add(withPlainSpaces(node.data), collapses);
    if (
      nodeTypeOf(node) !== Node.ELEMENT_NODE ||
      node.contentEditable === 'false' ||
      UNRENDERED_TAGS.has(node.tagName)
    )
      return undefined;
    if (node.tagName === 'BR') return end();
    const style = getComputedStyle(node);
    if (style.display === 'none') return undefined;
    const block = !/^(?:inline|contents)/.test(style.display);
    if (block && begun) end();
    for (const kid of composedChildrenOf(node)) walk(kid, COLLAPSES.test(style.whiteSpace));
    if (block && begun) end();
    return undefined;
  };
  for (const kid of composedChildrenOf(root))
    walk(kid, COLLAPSES.test(getComputedStyle(root).whiteSpace));
  if (begun) end();
  return lines;
}

// Hands an editor a clipboard of its own; whether it took what there was to take.
function clipboardEvent(control, kind, text) {
  const clipboardData = new DataTransfer();
  if (text) clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent(kind, {
    clipboardData,
    bubbles: true,
    cancelable: true,
    composed: true,
  });
  return control.dispatchEvent(event) ? null : clipboardData.getData('text/plain');
}

const pasteText = (el, text) => clipboardEvent(controlOf(el), 'paste', text) !== null;

// What the page has put in the place of an element that it has taken out, as block editors do with what is pasted.
function replacementsOf(el) {
  const records = watchedRecords();
  const gone = records.findLast(({ removedNodes }) =>
    [...removedNodes].some((node) => nodeContains(node, el)),
  );
  if (!gone) return [];
  const added = records
    .filter(({ target }) => target === gone.target)
    .flatMap(({ addedNodes }) => [...addedNodes]);
  const here = new Set(added.filter((node) => node.parentNode === gone.target));
  return [...gone.target.childNodes].filter((node) => here.has(node));
}

// The text of an editor; of a code editor what it copies, when everything in it is selected.
function editorText(el) {
  const control = controlOf(el);
  if (takesCode(control)) return clipboardEvent(control, 'copy', '') || visibleCode(control);
  if (!isPresent(control))
    return replacementsOf(control)
      .flatMap((one) => editorLines(one))
      .join('\n');
  return editorLines(control).join('\n');
}

const normalizedLines = (text) =>
  withPlainSpaces(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?<!\n)\n+$/, '')
    .split('\n');
const collapseSpaces = (line) => line.replace(/[\t ]+/g, ' ').trim();

// Whether an editor holds a text. Blank lines of prose are the gaps between paragraphs.
function holdsText(el, wanted) {
  const [held, given] = [normalizedLines(editorText(el)), normalizedLines(wanted)];
  if (takesCode(controlOf(el))) return held.join('\n') === given.join('\n');
  const [a, b] = [held, given].map((lines) => lines.map(collapseSpaces).filter(Boolean).join('\n'));
  return a === b;
}

// What the editor holds, once it is what was wanted or has had the time for it.
async function waitForText(el, wanted) {
  const stop = performance.now() + WRITING_MS;
  while (areScriptsEnabled() && !holdsText(el, wanted) && performance.now() < stop)
    await nextFrame();
  return { same: holdsText(el, wanted), text: editorText(el) };
}

Object.assign(globalThis.openchrome, { pasteText, editorText, writtenText: waitForText });
