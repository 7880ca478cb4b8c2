// Inputs that take files, and places where files can be dropped.

let fileInput = null;

const FILE_INPUTS = 'input[type=file]';

function inputIn(el) {
  const control = controlOf(el);
  const takes = (one) => one.tagName === 'INPUT' && one.type === 'file';
  if (takes(control)) return control;
  const scopes = [el, shadowRootOf(el)].filter(Boolean);
  const inner = scopes.flatMap((scope) => [...allMatches(scope, FILE_INPUTS)]);
  return inner.length === 1 ? inner[0] : inputOver(el) || inputBeside(control);
}

const TEXT_FIELDS = 'input:not([type=hidden], [type=file], [type=button], [type=submit]), textarea';
const MAX_FIELD_LEVELS = 4; // boxes around the parts of one field

// The input whose file's name a read-only field beside it shows.
function inputBeside(field) {
  let around = field.readOnly === true ? parentElementOf(field) : null;
  for (let level = 0; around && level < MAX_FIELD_LEVELS; level++) {
    if (allMatches(around, TEXT_FIELDS).length > 1) return null;
    const inputs = allMatches(around, FILE_INPUTS);
    if (inputs.length > 0) return inputs.length === 1 ? inputs[0] : null;
    around = parentElementOf(around);
  }
  return null;
}

// The see-through input that is laid over a button, so that whoever clicks the button opens its chooser.
function inputOver(el) {
  const { left, right, top, bottom } = boundingBoxOf(el);
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const holds = (box) => box && box.left < x && x < box.right && box.top < y && y < box.bottom;
  const over = [...allMatches(rootNodeOf(el), FILE_INPUTS)].filter((input) =>
    holds(visibleBoxOf(input)),
  );
  return over.length === 1 ? over[0] : null;
}

// The rules of the input that an element is, or holds, once it can be used; null if there is none.
async function fileRules(el, budget) {
  const stop = performance.now() + budget;
  for (;;) {
    fileInput = inputIn(el);
    const rules = fileInput && inputRules(fileInput);
    if (!isPresent(el)) return { disabled: '', detached: true };
    if (!rules?.disabled || performance.now() >= stop || !areScriptsEnabled()) {
      watchChanges(fileInput || el);
      return rules;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

function inputRules(input) {
  return {
    accept: input.accept,
    multiple: input.multiple,
    directory: input.webkitdirectory,
    disabled: disabledReason(input, false),
  };
}

// A folder's files reach the input once Chromium has read them; `cancel`: it held the same before.
let folderFiles = null;

function watchFolder(input) {
  folderFiles = new Promise((resolve) => {
    for (const kind of ['change', 'cancel'])
      listenTo(input, kind, () => resolve(true), { once: true });
  });
}

function waitFolderRead(budget) {
  const late = new Promise((resolve) => {
    setTimeout(resolve, budget, false);
  });
  return Promise.race([folderFiles, late]);
}

// Whether the page says of a drag over it that it may be dropped.
let hoveredDrop = null;

function watchDrop(el) {
  const view = windowOf(documentOf(el));
  hoveredDrop?.stop();
  const state = { accepted: false };
  const over = (event) => {
    state.accepted = event.defaultPrevented;
  };
  view.addEventListener('dragover', over);
  hoveredDrop = { state, stop: () => view.removeEventListener('dragover', over) };
}

function acceptsDrop() {
  hoveredDrop.stop();
  return hoveredDrop.state.accepted;
}

Object.assign(globalThis.openchrome, {
  fileRules,
  inputRules,
  watchFolder,
  waitFolderRead,
  watchDrop,
  acceptsDrop,
  fileInput: () => fileInput,
});
