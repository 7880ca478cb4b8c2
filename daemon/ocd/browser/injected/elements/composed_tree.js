// The tree of a page, with its shadow trees: what every walk over it rests on.

// Inputs of a form hide its properties when they are named like them ("tagName", "nodeType"), so
// what the walk rests on is asked of the prototype.
// In XML documents HTML's elements have names in small letters: here they are called as in HTML.
if (contentTypeOf(document) !== 'text/html') {
  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'tagName');
  const isHtml = (el) => el.namespaceURI === 'http://www.w3.org/1999/xhtml';
  const name = (el) => (isHtml(el) ? get.call(el).toUpperCase() : get.call(el));
  Object.defineProperty(Element.prototype, 'tagName', {
    configurable: true,
    get() {
      return name(this);
    },
  });
}

const firstChildOf = getter(Node.prototype, 'firstChild');
const nextSiblingOf = getter(Node.prototype, 'nextSibling');
const firstElementChildOf = getter(Element.prototype, 'firstElementChild');
const previousElementSiblingOf = getter(Element.prototype, 'previousElementSibling');
const nextElementSiblingOf = getter(Element.prototype, 'nextElementSibling');
const childNodesOf = getter(Node.prototype, 'childNodes');
const childElementsOf = getter(Element.prototype, 'children');
const tagOf = getter(Element.prototype, 'tagName');
// As in HTML, also of drawings, which write their tags small: to turn a word into capitals costs more
// than all else that is asked of a plain element.
const capitalTags = new Map();

function capitalTagOf(el) {
  const tag = tagOf(el);
  let capital = capitalTags.get(tag);
  if (capital === undefined) capitalTags.set(tag, (capital = tag.toUpperCase()));
  return capital;
}

const parentElementOf = getter(Node.prototype, 'parentElement');
const parentNodeOf = getter(Node.prototype, 'parentNode');
const documentOf = getter(Node.prototype, 'ownerDocument');
const assignedSlotOf = getter(Element.prototype, 'assignedSlot');
const attributeNodesOf = getter(Element.prototype, 'attributes');
const closestMatch = methodOf(Element.prototype, 'closest');
const nodeContains = methodOf(Node.prototype, 'contains');
const compareOrder = methodOf(Node.prototype, 'compareDocumentPosition');
const boundingBoxOf = methodOf(Element.prototype, 'getBoundingClientRect');
const clientRectsOf = methodOf(Element.prototype, 'getClientRects');
const checkVisibilityOf = methodOf(Element.prototype, 'checkVisibility');
const PROPERTIES_USED = (
  'tagName nodeType childNodes firstChild children textContent style title hidden' +
  ' ownerDocument isConnected isContentEditable shadowRoot tabIndex inert labels attributes type value' +
  ' getAttribute getAttributeNames hasAttribute hasAttributes matches closest querySelector querySelectorAll getRootNode' +
  ' getElementsByTagName getBoundingClientRect getClientRects checkVisibility contains compareDocumentPosition' +
  ' assignedSlot nextElementSibling previousElementSibling nextSibling className classList innerText namespaceURI' +
  ' scrollIntoView clientWidth clientHeight parentNode dispatchEvent'
).split(' ');
const RELATIVE_GETTERS = {
  parentElement: parentElementOf,
  firstElementChild: firstElementChildOf,
  nextElementSibling: nextElementSiblingOf,
};

const isClobbered = oncePerTurn(hasHiddenProperties); // each look costs as much as a form has inputs
const clobbered = (el) => tagOf(el) === 'FORM' && isClobbered(el);
const getAttributeOf = methodOf(Element.prototype, 'getAttribute');

function hasHiddenProperties(el) {
  return (
    PROPERTIES_USED.some(
      (name) =>
        name in HTMLFormElement.prototype &&
        el[name]?.nodeType === Node.ELEMENT_NODE &&
        !/Sibling$|^firstChild$|^parentNode$/.test(name),
    ) || Object.entries(RELATIVE_GETTERS).some(([name, own]) => el[name] !== own(el))
  );
}

// Elements whose own document a page of the same origin sees into.
const FRAME_TAGS = new Set(['IFRAME', 'FRAME', 'OBJECT']);
const closedRoots = new WeakMap();

// Not asked for by its class, nor is anything else: in a frame those are others.
function shadowRootOf(el) {
  const root = el.shadowRoot;
  if (root) return root.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? root : null;
  return closedRoots.get(el) || null;
}

function isSummary(el) {
  const parent = el.parentElement;
  if (parent?.tagName !== 'DETAILS') return false;
  for (const child of parent.children) if (child.tagName === 'SUMMARY') return child === el;
  return false;
}

function hasSummary(details) {
  for (const child of childElementsOf(details)) if (child.tagName === 'SUMMARY') return true;
  return false;
}

// What is worked out once for each key in a turn of the page: afterwards, it may be different.
function oncePerTurn(workOut) {
  let known = null;
  return (key) => {
    if (known === null) {
      known = new Map();
      queueMicrotask(() => {
        known = null;
      });
    }
    if (!known.has(key)) known.set(key, workOut(key));
    return known.get(key);
  };
}

// The labels of a control, in their order. What an element itself says of its labels costs as much as
// its document, for each element: here all labels are asked whose they are, once in a turn.
const labelsInRoot = oncePerTurn(labelsByControl);
const labelsOf = (el) => labelsInRoot(rootNodeOf(el)).get(el) ?? [];

function labelsByControl(root) {
  const found = new Map();
  for (const label of allMatches(root, 'label')) {
    const known = found.get(label.control);
    if (known) known.push(label);
    else found.set(label.control, [label]);
  }
  return found;
}

// What an element has of attributes. To tell one's value it looks through all of them, so that of
// very many these are the first.
const MAX_ATTRIBUTES = 1000;

function attributesOf(el) {
  const all = attributeNodesOf(el);
  return all.length > MAX_ATTRIBUTES
    ? Array.from({ length: MAX_ATTRIBUTES }, (_, at) => all.item(at))
    : all;
}

function hasComposedChildren(el, tag = tagOf(el)) {
  return tag === 'SLOT' || (tag !== 'FORM' && shadowRootOf(el) !== null);
}

// What an element is shown in: through slots, and out of shadow trees.
const shownParentOf = (el) =>
  assignedSlotOf(el) || parentElementOf(el) || hostOf(rootNodeOf(el)) || null;

// The nodes that are shown below an element: its shadow tree, what a slot got, or its children.
function composedChildrenOf(el) {
  const tag = tagOf(el);
  const root = tag === 'FORM' ? null : shadowRootOf(el);
  if (root) return root.childNodes;
  if (tag === 'SLOT') {
    const assigned = el.assignedNodes();
    if (assigned.length) return assigned;
  }
  return childNodesOf(el);
}

// The children of an element with a shadow tree that a slot of it got: the others are not shown.
function slottedChildren(el) {
  const slotted = new Set(
    [...shadowRootOf(el).querySelectorAll('slot')].flatMap((slot) => slot.assignedNodes()),
  );
  return [...childNodesOf(el)].filter((kid) => slotted.has(kid));
}

// The image map of a picture, and the picture of a map.
const mapsIn = oncePerTurn(mapsByName);
const mapOf = (picture) => mapsIn(documentOf(picture)).get(picture.useMap.slice(1));
const picturesOfMaps = oncePerTurn(picturesByMap); // the first of each

function pictureOf(area) {
  const pictures = picturesOfMaps(documentOf(area));
  let at = area;
  while (at && !pictures.has(at)) at = parentElementOf(at);
  return pictures.get(at);
}

function mapsByName(doc) {
  const found = new Map();
  for (const map of byTag(doc, 'map'))
    if (!found.has(map.getAttribute('name'))) found.set(map.getAttribute('name'), map);
  return found;
}

function picturesByMap(doc) {
  const found = new Map();
  for (const picture of imagesIn(doc)) {
    const map = picture.useMap && mapOf(picture);
    if (map && !found.has(map)) found.set(map, picture);
  }
  return found;
}

// Items by what `key` says of them, in their order.
function groupItems(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) || []), item]);
  return groups;
}
