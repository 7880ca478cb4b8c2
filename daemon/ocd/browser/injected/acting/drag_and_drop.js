// Dragging: whether the page's own drag and drop has begun, when it rests, and where a thing is then.

let drag = null;
const MAX_LEVELS = 4; // between what is dragged and the item of a list that it is, or is in
const OVERSHOOT = 0.25; // of an item, beyond its middle: lists change places when the pointer has passed it
const CELL_ROLE = /^(?:cell|gridcell|rowheader)$/; // whose row is the item
const ITEMS_ROLE = /^(?:list|listbox|table|grid|treegrid|tree|menu|menubar|tablist)$/;
const ITEM_ROLE = /^(?:listitem|option|row|treeitem|menuitem|tab)$/;

const itemSignature = (el) =>
  `${el.tagName} ${el.getAttribute('role') || ''} ${el.classList[0] || ''}`;
const siblingItems = (item) =>
  [...composedParentOf(item).children].filter(
    (one) => one.tagName === item.tagName && visibleBoxOf(one),
  );
const itemText = (item) => squeeze(item.innerText || textContentOf(item) || '');

// The item of a list that an element is, or stands in: what has others like it beside it.
function itemOf(el) {
  for (
    let at = el, level = 0;
    at && composedParentOf(at) && level < MAX_LEVELS;
    at = composedParentOf(at), level += 1
  ) {
    if (at.tagName === 'BODY') return null;
    if (ITEM_ROLE.test(roleOf(at))) return itemAround(at);
    if (hasSiblingsAlike(at) && (at.draggable || !CELL_ROLE.test(roleOf(at)))) return at;
  }
  return null;
}

const hasSiblingsAlike = (el) =>
  [...composedParentOf(el).children].some(
    (one) => one !== el && itemSignature(one) === itemSignature(el),
  );

const isListOfItems = (el) =>
  ITEMS_ROLE.test(roleOf(el)) && !/^(?:none|presentation)$/.test(el.getAttribute('role'));

// An item, or the box of its own that it is alone in: each row of a list may be a table.
function itemAround(item) {
  let at = item;
  while (!hasSiblingsAlike(at)) {
    at = composedParentOf(at);
    if (isListOfItems(at) || at.childElementCount !== 1 || !composedParentOf(at)) return item;
  }
  return at;
}

const HEADINGS_OF_LISTS = 'h1, h2, h3, h4, h5, h6, [role=heading], legend, header';

// What the list of an item is called: by its own name, or by the words that stand at its head or above it.
function listName(list, item) {
  const own = nameOf(list, roleOf(list));
  if (own) return own;
  const items = siblingItems(item);
  const head = [...list.querySelectorAll(HEADINGS_OF_LISTS)].find(
    (one) => !items.some((other) => nodeContains(other, one)),
  );
  if (head) return squeeze(head.innerText || '');
  for (
    let at = composedParentOf(list), level = 0;
    at && level < 3;
    at = composedParentOf(at), level += 1
  ) {
    const titles = [...at.querySelectorAll(HEADINGS_OF_LISTS)];
    const before = titles.filter(
      (one) =>
        one.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING &&
        !nodeContains(one, list),
    );
    if (before.length) return squeeze(before[before.length - 1].innerText || '');
  }
  return '';
}

function placeInList(item) {
  const list = composedParentOf(item);
  const all = siblingItems(item);
  return { list, at: all.indexOf(item) + 1, count: all.length };
}

function watchDrag(el) {
  const view = windowOf(documentOf(el));
  drag?.stop();
  const item = itemOf(el);
  const state = {
    source: el,
    item,
    box: item && item.getBoundingClientRect(),
    words: item && itemText(item),
    like: item && itemSignature(item),
    place: item && placeInList(item),
    begun: null,
    ended: null,
    startBox: el.getBoundingClientRect(),
  };
  const begin = (event) => {
    state.begun = event;
  };
  const end = (event) => {
    state.ended = event.dataTransfer.dropEffect;
  };
  view.addEventListener('dragstart', begin, true);
  view.addEventListener('dragend', end, true);
  state.stop = () => {
    view.removeEventListener('dragstart', begin, true);
    view.removeEventListener('dragend', end, true);
  };
  drag = state;
}

const isNative = () => drag.begun !== null && !drag.begun.defaultPrevented;

// Whether the page's own drag was it and how that ended, and where the dragged thing is once the page has come to rest.
function endDrag() {
  drag.stop();
  const place = drag.item ? placeNow() : null;
  return {
    html5: isNative(),
    effect: drag.ended,
    place: [place?.words, selectedText(drag.source)].filter(Boolean).join('; ') || null,
    // In a list that was rendered again the item is another element: only its place shows where it is.
    stays: place && !isPresent(drag.source) ? place.stays : (place?.stays ?? true) && isUnmoved(),
  };
}

// The text that is selected, as by a drag over it that nothing has taken; '' if none is.
function selectedText(el) {
  const text = squeeze(String(windowOf(documentOf(el)).getSelection()));
  return text && `the text ${quote(clip(text, 60))} is selected`;
}

// Whether what was dragged is where it was. Where something is drawn, or text is selected, that shows nothing.
function isUnmoved() {
  const { source, startBox } = drag;
  const draws =
    /^(?:CANVAS|VIDEO|IFRAME|HTML|BODY)$/.test(source.tagName) ||
    source.querySelector('canvas, video, iframe');
  return (
    isPresent(source) &&
    !draws &&
    !hasMoved(startBox, source.getBoundingClientRect()) &&
    windowOf(documentOf(source)).getSelection().isCollapsed
  );
}

// Whether what was watched is the page's own drag still; ends the watch.
function nativeDragEnds() {
  const native = drag !== null && isNative() && drag.ended === null;
  drag?.stop();
  return native;
}

// Whether two boxes lie as those of one list or grid do: in a line, or of one size.
function isInSameList(one, other) {
  const near = (side) => Math.abs(one[side] - other[side]) < 2;
  return near('left') || near('top') || (near('width') && near('height'));
}

// How far beyond an element's middle the pointer goes: among items of one list past it.
function dropOffset(el) {
  const item = drag?.item && itemOf(el);
  if (!item || item === drag.item || composedParentOf(item) !== composedParentOf(drag.item))
    return [0, 0];
  const [from, to] = [drag.item.getBoundingClientRect(), item.getBoundingClientRect()];
  if (!isInSameList(drag.box, to)) return [0, 0];
  const [across, down] = [to.x - from.x, to.y - from.y];
  return Math.abs(across) > Math.abs(down)
    ? [Math.sign(across) * to.width * OVERSHOOT, 0]
    : [0, Math.sign(down) * to.height * OVERSHOOT];
}

// Draws a frame; whether nothing moves by itself any more, and whether the drag is the page's own.
async function dragFrame() {
  await nextFrame();
  const moves = animationsIn(document).some(
    (one) =>
      one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime),
  );
  return { calm: !moves, native: drag !== null && isNative() };
}

// The item that was dragged, or the one that stands for it since the list was drawn again.
function droppedItem() {
  if (drag.item.isConnected && visibleBoxOf(drag.item)) return drag.item;
  const like = [...allMatches(documentOf(drag.source), drag.item.tagName)].filter(
    (one) => itemSignature(one) === drag.like && itemText(one) === drag.words && visibleBoxOf(one),
  );
  return like.length === 1 ? like[0] : null;
}

// Keeps a finger from scrolling the page, until the drag is over.
function stopTouchScroll(el) {
  const view = windowOf(documentOf(el));
  const keep = (event) => {
    if (event.cancelable) event.preventDefault();
  };
  view.addEventListener('touchmove', keep, { capture: true, passive: false });
  const { stop } = drag;
  drag.stop = () => {
    stop();
    view.removeEventListener('touchmove', keep, { capture: true });
  };
}

// Where the dragged item is now, in words, and whether it stays where it was; null if it is nowhere.
function placeNow() {
  const item = droppedItem();
  const now = item && placeInList(item);
  const stays = now && now.list === drag.place.list && now.at === drag.place.at;
  if (!now) return null;
  if (now.count < 2 && stays) return { words: '', stays: false };
  const name = listName(now.list, item);
  return {
    words: `${quote(clip(drag.words, 60))} is ${stays ? 'still' : 'now'} item ${now.at} of ${name ? clip(name, 60) : now.count}`,
    stays,
  };
}

// The same, `most` ms later at most, if it has not come to another place before.
async function waitForDroppedPlace(most) {
  const stop = performance.now() + most;
  for (;;) {
    const now = drag?.item ? placeNow() : { words: '', stays: false };
    const waits =
      (!now || (now.stays && now.words)) && areScriptsEnabled() && performance.now() < stop;
    if (!waits) return now ?? { words: '', stays: false };
    await nextFrame();
  }
}

Object.assign(globalThis.openchrome, {
  watchDrag,
  endDrag,
  nativeDragEnds,
  dropOffset,
  dragFrame,
  droppedPlace: waitForDroppedPlace,
  stopTouchScroll,
});
