// Readings of a document, and what our daemon calls of this part of the engine.

function outline(options) {
  const root = scopeOf(options);
  if (!root) return null;
  const it = new Outline(options);
  if (root === rootElementOf(document)) it.document(document, 0);
  else {
    it.root = root;
    it.active = deepActiveElement(documentOf(root));
    it.special = implicitActionsIn(documentOf(root));
    it.readRelationsWithin(root);
    if (clobbered(root)) it.form(root, viewOfParent(root), 0, null);
    else it.element(root, viewOfParent(root), 0, null);
    it.flush(0);
  }
  pendingFrames = it.frames;
  const about = options.head
    ? describePage(
        it.lines.every(([, kind]) => kind === FRAME),
        it.onlyRefs,
      )
    : null;
  return { ...it.parts(), refs: it.refs, hidden: it.hidden, about };
}

// Frames of other origins that the last reading met: the caller asks for them by their place.
let pendingFrames = [];

const MARKING_READERS = new Set(); // the readings that mark what is covered

function runReader(reader, options) {
  nextNumber = Math.max(nextNumber, options.next);
  if (options.recorded) forgetUnrecorded(options.recorded);
  const first = nextNumber;
  generatedTextByDocument = new Map();
  effectsOf = new WeakMap();
  surroundingTexts = new Map();
  besideLabels = new WeakMap();
  keyedByDocument = new WeakMap();
  rowLookups = 0;
  implicitActionsByDocument = new WeakMap();
  resetCovers();
  statedElements = [];
  viewCache = new Map();
  let result;
  try {
    result = reader(options);
    // Told again where it is known by now that something stands over something else.
    if (MARKING_READERS.has(reader) && needsMarks()) result = reader(options);
  } finally {
    viewCache = null;
  }
  return {
    result,
    first,
    next: nextNumber,
    forgot: Boolean(options.recorded),
    nonce,
    suspects: shadowSuspects.length,
    customs: unknownCustoms.size,
    stated: statedElements.length,
    frames: pendingFrames.length,
  };
}

MARKING_READERS.add(outline);

// What our daemon calls; the scripts that come after this one add theirs.
globalThis.openchrome = {
  outline: (options) => runReader(outline, options),
  element: (number) => elementOf(number),
  query: (selector) => query(selector),
  has: (selector) => query(selector) !== null,
  ref: (el, next) => {
    nextNumber = Math.max(nextNumber, next);
    return [refOf(el), nextNumber];
  },
  name: (el) => nameOf(el, roleOf(el)),
  role: (el) => roleOf(el),
  frame: (place) => pendingFrames[place] ?? null,
  takeSuspects,
  takeCustoms,
  learnInternalRoles,
  takeStated,
  learnInternalStates,
  listening: recordClickable,
  adopt: adoptClosedRoots,
  nonce,
};
