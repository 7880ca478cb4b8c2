// Documents, asked so that nothing in them hides the answer: a picture, a form or a frame that is
// called "body" or "querySelector" stands before what its document has of that name. So these are
// taken from the prototypes, and scripts of pages ask no document for a property itself (a check in
// tests/contract).

const getter = (proto, name) =>
  Function.prototype.call.bind(Object.getOwnPropertyDescriptor(proto, name).get);
const methodOf = (proto, name) => Function.prototype.call.bind(proto[name]);

const nodeTypeOf = getter(Node.prototype, 'nodeType');
const baseOf = getter(Node.prototype, 'baseURI');
const rootNodeOf = methodOf(Node.prototype, 'getRootNode');
const urlOf = getter(Document.prototype, 'URL');
const bodyOf = getter(Document.prototype, 'body');
const compatModeOf = getter(Document.prototype, 'compatMode');
const contentTypeOf = getter(Document.prototype, 'contentType');
const directionOf = getter(Document.prototype, 'dir');
const doctypeOf = getter(Document.prototype, 'doctype');
const headOf = getter(Document.prototype, 'head');
const readyStateOf = getter(Document.prototype, 'readyState');
const isHiddenDocument = getter(Document.prototype, 'hidden');
const rootElementOf = getter(Document.prototype, 'documentElement');
const visibilityIn = getter(Document.prototype, 'visibilityState');
const rootScrollerOf = getter(Document.prototype, 'scrollingElement');
const pointerLockIn = getter(Document.prototype, 'pointerLockElement');
const fullScreenIn = getter(Document.prototype, 'fullscreenElement');
const unlockPointerIn = methodOf(Document.prototype, 'exitPointerLock');
const endFullScreenIn = methodOf(Document.prototype, 'exitFullscreen');
const pageTitleOf = getter(Document.prototype, 'title');
const windowOf = getter(Document.prototype, 'defaultView');
const formsIn = getter(Document.prototype, 'forms');
const imagesIn = getter(Document.prototype, 'images');
const linksIn = getter(Document.prototype, 'links');
const scriptsIn = getter(Document.prototype, 'scripts');
const byTag = methodOf(Document.prototype, 'getElementsByTagName');
const byClass = methodOf(Document.prototype, 'getElementsByClassName');
const commandIn = methodOf(Document.prototype, 'execCommand');
const createIn = methodOf(Document.prototype, 'createElement');
const evaluateIn = methodOf(Document.prototype, 'evaluate');
const rangeIn = methodOf(Document.prototype, 'createRange');
const walkerIn = methodOf(Document.prototype, 'createTreeWalker');
const listenTo = methodOf(EventTarget.prototype, 'addEventListener');
const stopListening = methodOf(EventTarget.prototype, 'removeEventListener');

// What documents have in common with shadow trees, or with elements.
function methodIn(name) {
  const own = { 1: Element.prototype[name], 9: Document.prototype[name] };
  return (scope, ...args) => {
    const type = nodeTypeOf(scope);
    return (type === 11 ? scope[name] : own[type])?.apply(scope, args);
  };
}

const allMatches = methodIn('querySelectorAll');
const firstMatch = methodIn('querySelector');
const byId = methodIn('getElementById');
const elementAtPoint = methodIn('elementFromPoint');
const elementsAtPoint = methodIn('elementsFromPoint');
const animationsIn = methodIn('getAnimations');

const activeInDocument = getter(Document.prototype, 'activeElement');
const activeElementOf = (root) =>
  nodeTypeOf(root) === 9 ? activeInDocument(root) : root.activeElement;
const linkedSheetsIn = getter(Document.prototype, 'styleSheets');
const adoptedSheetsIn = getter(Document.prototype, 'adoptedStyleSheets');
const sheetsIn = (doc) => [...linkedSheetsIn(doc), ...adoptedSheetsIn(doc)];
// The host of a shadow tree, undefined for any other root.
const hostOf = (root) => (nodeTypeOf(root) === 11 ? root.host : undefined);

// Frames that their parent can look into are read with it; those that nobody sees are not.
function isReadByParent() {
  try {
    if (window.parent !== window && window.frameElement) return true;
  } catch {
    /* of another origin */
  }
  return innerWidth === 0 || innerHeight === 0;
}
