// How a form is sent, and which of its fields keep it back: a browser sends none with a field that it finds
// invalid, and says so by a bubble that is no part of the page.

const MAX_INVALID = 10;
const SUBMIT_BUTTONS =
  'button:not([type]), button[type=submit], input[type=submit], input[type=image]';
const SUBMISSION_EVENTS = ['click', 'keydown', 'submit', 'invalid'];
const requestSubmitOf = methodOf(HTMLFormElement.prototype, 'requestSubmit');

// The form of a control; a custom element need not say which one it belongs to.
const formOfControl = (el) => ownerFormOf(el) ?? closestMatch(el, 'form');

// The button that Enter in one of the form's fields presses.
const submitterOf = (form) =>
  [...allMatches(rootNodeOf(form), SUBMIT_BUTTONS)].find((one) => ownerFormOf(one) === form) ??
  null;

// Hears which forms were to be sent, and which of their fields were found invalid.
class Submissions {
  constructor() {
    this.tries = new Map(); // forms, and what was to send each; null for a call of ours
    this.refused = new Map(); // fields, what told of each, and whether it had the focus
  }

  handleEvent(event) {
    const el = event.target;
    if (nodeTypeOf(el) !== Node.ELEMENT_NODE) return;
    if (event.type === 'click') this.pressed(closestMatch(el, SUBMIT_BUTTONS), event);
    else if (event.type === 'keydown')
      this.pressed(event.key === 'Enter' && tagOf(el) === 'INPUT' ? el : null, event);
    else if (event.type === 'invalid') this.refused.set(el, [event, hasFocus(el)]);
    else this.sent(el);
  }

  pressed(control, event) {
    const form = control && ownerFormOf(control);
    if (form) this.tries.set(form, event);
  }

  sent(form) {
    this.tries.delete(form);
    for (const el of this.refused.keys()) if (formOfControl(el) === form) this.refused.delete(el);
  }

  // Fields that a person is told of: pages also ask whether one is valid while it is typed into.
  invalid() {
    const isTold = ([el, [event, focused]]) => {
      const form = formOfControl(el);
      const tried = this.tries.has(form)
        ? !this.tries.get(form)?.defaultPrevented
        : hasFocus(el) && !focused;
      return tried && !event.defaultPrevented && el.isConnected && el.matches(':invalid');
    };
    return [...this.refused]
      .filter(isTold)
      .slice(0, MAX_INVALID)
      .map(([el]) => validityNote(el));
  }
}

// Sends the form of a field as Enter in it does, once its button can be used; what kept it from that, if anything.
// `only`: the only form of a page stands for that of an element without one.
async function submitForm(el, budget, only) {
  watchChanges(el);
  const all = [...formsIn(documentOf(el))];
  const form = formOfControl(controlOf(el)) || (only && all.length === 1 ? all[0] : null);
  if (!form) return { none: true };
  const button = submitterOf(form);
  const stop = performance.now() + budget;
  while (button?.matches(':disabled') && performance.now() < stop && areScriptsEnabled())
    await nextFrame();
  if (button?.matches(':disabled')) return { disabled: nameOf(button, roleOf(button)) };
  if (button) button.click();
  else {
    changeWatch.submissions.tries.set(form, null);
    requestSubmitOf(form);
  }
  return {};
}

Object.assign(globalThis.openchrome, { submitForm });
