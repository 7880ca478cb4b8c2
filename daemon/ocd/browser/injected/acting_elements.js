// What can be acted on although neither its tag nor its role nor its style says so: links without an
// address, handlers that a framework writes into the markup, what is dragged or dropped on, and what
// has the hand as a cursor only once the pointer is over it.

const MARKED_LINKS = 'a:not([href]):is([title],[aria-label],[class*=btn i],[class*=button i],[class*=prev i],[class*=next i],[class*=close i],[class*=toggle i])';
const HANDLED = '[ng-click],[data-ng-click],[x-on\\:click],[\\@click],[wire\\:click],[data-toggle],[data-bs-toggle],[data-dismiss],'
  + '[data-bs-dismiss],[hx-get]:not([hx-trigger]),[hx-post]:not([hx-trigger]),[hx-put]:not([hx-trigger]),[hx-delete]:not([hx-trigger])';
const DRAGGED = '[draggable=true],[ondragstart],.ui-draggable';
const DROPPED_ON = '[ondrop],[ondragover],.ui-droppable,.ui-sortable';
// By word, selectors one by one: a list of them costs the engine five times what its parts do.
const ACTING_ANYHOW = [
  ['draggable', DRAGGED.split(',')], ['droppable', DROPPED_ON.split(',')], ['clickable', [MARKED_LINKS, ...HANDLED.split(',')]],
];
const MANY_RULES = 20000;
const pointingRules = new WeakMap(); // by style sheet: selectors of what gets the hand under the pointer

function pointing(sheet) {
  let found = pointingRules.get(sheet);
  if (found === undefined) {
    found = [];
    let left = MANY_RULES;
    const collect = (rules) => {
      for (const rule of rules) {
        if (--left < 0) return;
        if (rule.selectorText?.includes(':hover') && rule.style.cursor === 'pointer') found.push(rule.selectorText.replaceAll(':hover', ''));
        else if (rule.cssRules?.length && !rule.selectorText) collect(rule.cssRules);
      }
    };
    try {
      collect(sheet.cssRules);
    } catch { /* of another origin */ }
    pointingRules.set(sheet, found);
  }
  return found;
}

let actingByDocument = new WeakMap(); // for the time of one reading

// By element: the word for what it is.
function actingIn(doc) {
  if (!actingByDocument.has(doc)) actingByDocument.set(doc, collectActing(doc));
  return actingByDocument.get(doc);
}

function collectActing(doc) {
  const found = new Map();
  const add = (selector, word) => {
    for (const el of allMatches(doc, selector)) if (!found.has(el)) found.set(el, word);
  };
  for (const [word, selectors] of ACTING_ANYHOW) for (const selector of selectors) add(selector, word);
  for (const sheet of sheetsIn(doc)) {
    for (const selector of pointing(sheet)) {
      try {
        add(selector, 'clickable');
      } catch { /* what is left is no selector */ }
    }
  }
  for (const held of clicked) {
    const el = held.deref();
    if (el && ownerIn(el) === doc && !found.has(el)) found.set(el, 'clickable');
  }
  return found;
}
