// How the contents of frames lie in their parents' windows, however they are scaled, mirrored and turned.

const withoutTranslation = (matrix) =>
  new DOMMatrix([matrix.a, matrix.b, matrix.c, matrix.d, 0, 0]);

// How an element and what is around it are scaled, mirrored and turned; perspective is left out.
function linearTransformOf(el) {
  let turn = new DOMMatrix();
  for (let at = el; at; at = assignedSlotOf(at) || composedParentOf(at)) {
    const { rotate, scale, transform, transformStyle } = getComputedStyle(at);
    if (transformStyle !== 'preserve-3d') turn = withoutTranslation(turn);
    if (transform !== 'none') turn = new DOMMatrix(transform).multiply(turn);
    const [across, down = across] = scale.split(' ');
    if (scale !== 'none') turn = new DOMMatrix(`scale(${across}, ${down})`).multiply(turn);
    if (rotate !== 'none') turn = new DOMMatrix(rotationOf(...rotate.split(' '))).multiply(turn);
  }
  return withoutTranslation(turn);
}

// The function that says what the property says: an angle, or an axis and an angle.
function rotationOf(...words) {
  if (words.length === 1) return `rotate(${words[0]})`;
  return words.length === 2
    ? `rotate${words[0].toUpperCase()}(${words[1]})`
    : `rotate3d(${words.join(', ')})`;
}

// How a frame's content lies in its parent's window: about the middle of its box, which no turn moves.
function contentMatrix(frame) {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const turn = linearTransformOf(frame);
  const [width, height] = [frame.offsetWidth, frame.offsetHeight];
  const grown = (side, size) => side / size || 1;
  const zoomed = new DOMMatrix([
    grown(box.width, Math.abs(turn.a) * width + Math.abs(turn.c) * height),
    0,
    0,
    grown(box.height, Math.abs(turn.b) * width + Math.abs(turn.d) * height),
    box.x + box.width / 2,
    box.y + box.height / 2,
  ]);
  return zoomed
    .multiply(turn)
    .translate(
      frame.clientLeft + parseFloat(style.paddingLeft) - width / 2,
      frame.clientTop + parseFloat(style.paddingTop) - height / 2,
    );
}

function mapPoint(matrix, x, y) {
  const point = matrix.transformPoint(new DOMPoint(x, y));
  return [point.x, point.y];
}

const toParentPoint = (frame, x, y) => mapPoint(contentMatrix(frame), x, y);
const toFramePoint = (frame, x, y) => mapPoint(contentMatrix(frame).inverse(), x, y);

// The box around a box of a frame's document, in the parent's window.
function toParentBox(frame, x, y, width, height) {
  const matrix = contentMatrix(frame);
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map((corner) => mapPoint(matrix, ...corner));
  const [left, top] = [0, 1].map((axis) => Math.min(...corners.map((corner) => corner[axis])));
  return [
    left,
    top,
    Math.max(...corners.map((corner) => corner[0])) - left,
    Math.max(...corners.map((corner) => corner[1])) - top,
  ];
}

// A point in the engine's own window, and what covers it, climbing out of frames of the same origin.
function toWindowPoint(el, x, y) {
  let view = windowOf(documentOf(el));
  let covering = topElementAt(documentOf(el), x, y);
  // Nothing is met outside of the window.
  let by = isPartOfTarget(covering, el) ? null : covering || rootElementOf(documentOf(el));
  const top = covering;
  while (view !== window) {
    const frame = view.frameElement;
    [x, y] = toParentPoint(frame, x, y);
    covering = topElementAt(documentOf(frame), x, y);
    if (!by && covering !== frame) by = covering || frame;
    view = windowOf(documentOf(frame));
  }
  return { x, y, by, top };
}
