// Taking over a tab: who holds it, and what this person's mouse, fingers and keyboard do in it.

import { action, h, pill } from './dom.js';

const TEXT_PARTS = /[^]{1,8000}/gu;
const LINE_PX = 16;
const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'];
const ENDS = {
  released: 'You gave the tab back.',
  expired: 'The tab was given back because this page stopped responding.',
  tab_closed: 'The tab was closed.',
  daemon_stopped: 'The daemon was stopped.',
};
const HELP =
  'Mouse, keys, text and paste go to the page. Ctrl+Alt+Enter moves the keyboard back here.';

// Who holds the shown tab; the button that takes it and gives it back.
export class Control {
  constructor(app, tab, screen) {
    this.app = app;
    this.tab = tab;
    this.key = '';
    this.hands = new Hands(screen, {
      send: (input) => app.connection.send({ input }),
      leave: () => this.button?.focus(),
    });
    this.note = h('p', { class: 'told', role: 'status' });
    this.holder = h('p', { class: 'holder', hidden: true });
    this.node = h('div', { class: 'control' }, this.holder, this.note);
    if (app.viewer.control) {
      this.button = h(
        'button',
        { type: 'button', class: 'main', onclick: () => this.toggle() },
        'Take over',
      );
      this.node.prepend(this.button);
    }
    this.onHide = () => this.beacon();
    addEventListener('pagehide', this.onHide);
  }

  toggle() {
    if (this.key) this.giveBack();
    else this.app.connection.send(this.holdRequest());
  }

  // A wish with its key once it is held: it is said again when a connection is made again.
  holdRequest() {
    const { session, tab_id } = this.tab;
    return { hold: { session, tab_id, key: this.key } };
  }

  giveBack() {
    this.app.connection.wishes.delete('hold');
    this.app.connection.send({ hold: null });
  }

  onMessage({ leases, control }) {
    if (control) this.onControl(control);
    if (leases) this.drawHolder(leases);
  }

  onControl({ state, key, error }) {
    if (state === 'refused') this.end(error.message);
    else if (state === 'held') this.begin(key);
    else if (key !== this.key)
      return; // of a lease before this one
    else if (state === 'asks') this.app.connection.send({ alive: true });
    else this.end(ENDS[state]);
  }

  begin(key) {
    this.key = key;
    this.app.connection.wishes.set('hold', this.holdRequest());
    this.button.textContent = 'Give back';
    this.note.textContent = HELP;
    this.hands.open();
  }

  end(text) {
    this.key = '';
    this.app.connection.wishes.delete('hold');
    this.button.textContent = 'Take over';
    this.note.textContent = text;
    if (this.hands.isOpen) this.button.focus();
    this.hands.close();
  }

  drawHolder(leases) {
    const { session, tab_id } = this.tab;
    const held = leases.find((one) => one.session === session && one.tab_id === tab_id);
    this.holder.hidden = !held;
    this.holder.replaceChildren(held ? pill(`held by ${held.holder}`, 'running') : '');
  }

  beacon() {
    if (!this.key) return;
    this.app.connection.wishes.delete('hold');
    navigator.sendBeacon('/api/give-back', JSON.stringify({ key: this.key }));
  }

  close() {
    removeEventListener('pagehide', this.onHide);
    if (this.key) this.giveBack();
    this.app.connection.wishes.delete('hold');
  }
}

// A person's turn, as an agent has asked for it, with the two answers.
export function turnButtons(send, after = () => {}) {
  const say = (allow) => async () => {
    await send({ allow, scope: 'once' });
    after();
  };
  return [
    action('Done', say(true), { class: 'main' }),
    action('Cannot do it', say(false), { class: 'bad' }),
  ];
}

// An unseen text field over the picture: input methods and screen keyboards write into fields.
class Hands {
  constructor(screen, { send, leave }) {
    this.screen = screen;
    this.send = send;
    this.leave = leave;
    this.fingers = new Map();
    this.field = h('textarea', {
      class: 'hands',
      hidden: true,
      'aria-label': 'The page: mouse and keyboard go to it. Ctrl+Alt+Enter leaves it.',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    });
    screen.picture.append(this.field);
    const mouse = (type, event) =>
      this.field.addEventListener(type, (one) => this.onMouse(event, one));
    mouse('mousemove', 'moved');
    mouse('mousedown', 'pressed');
    mouse('mouseup', 'released');
    const listeners = {
      pointerdown: (one) => this.onPointer('Start', one),
      pointermove: (one) => this.onPointer('Move', one),
      pointerup: (one) => this.onPointer('End', one),
      pointercancel: (one) => this.onPointer('Cancel', one),
      keydown: (one) => this.onKey('down', one),
      keyup: (one) => this.onKey('up', one),
      input: (one) => one.isComposing || this.takeText(),
      compositionend: () => this.takeText(),
      paste: (one) => this.onPaste(one),
      blur: () => this.send({ type: 'release' }),
      contextmenu: (one) => one.preventDefault(),
      drop: (one) => one.preventDefault(),
    };
    for (const [type, listener] of Object.entries(listeners))
      this.field.addEventListener(type, listener);
    this.field.addEventListener('wheel', (one) => this.onWheel(one), { passive: false });
  }

  get isOpen() {
    return !this.field.hidden;
  }

  open() {
    this.field.hidden = false;
    this.field.focus({ preventScroll: true });
  }

  close() {
    this.field.hidden = true;
  }

  // From the picture, however large it is shown, to CSS pixels of the page's viewport.
  place(event) {
    const shown = this.field.getBoundingClientRect();
    const { width, height, top } = this.screen.size;
    return {
      x: ((event.clientX - shown.left) / shown.width) * width,
      y: ((event.clientY - shown.top) / shown.height) * height - top,
    };
  }

  onMouse(kind, event) {
    event.preventDefault();
    if (kind === 'pressed') this.field.focus({ preventScroll: true });
    const button = kind === 'moved' ? pressedButton(event.buttons) : BUTTONS[event.button];
    const { buttons, detail } = event;
    const count = kind === 'moved' ? 0 : Math.min(Math.max(detail, 1), 3);
    this.send({
      type: 'mouse',
      event: kind,
      ...this.place(event),
      button,
      buttons,
      count,
      modifiers: modifiers(event),
    });
  }

  // A mouse that is pressed is followed outside of the picture; fingers are passed on as fingers.
  onPointer(kind, event) {
    if (event.pointerType !== 'touch') {
      if (kind === 'Start') this.field.setPointerCapture(event.pointerId);
      return;
    }
    event.preventDefault();
    if (kind === 'Start' || kind === 'Move')
      this.fingers.set(event.pointerId, { id: event.pointerId, ...this.place(event) });
    else this.fingers.delete(event.pointerId);
    if (kind === 'Start') this.field.focus({ preventScroll: true });
    this.send({
      type: 'touch',
      event: kind,
      fingers: [...this.fingers.values()],
      modifiers: modifiers(event),
    });
  }

  onWheel(event) {
    event.preventDefault();
    const unit = [1, LINE_PX, this.screen.size.height][event.deltaMode];
    const [across, down] = [event.deltaX * unit, event.deltaY * unit];
    this.send({ type: 'wheel', ...this.place(event), across, down, modifiers: modifiers(event) });
  }

  onKey(kind, event) {
    if (event.ctrlKey && event.altKey && event.key === 'Enter') {
      event.preventDefault();
      if (kind === 'down') this.leave();
      return;
    }
    if (isWriting(event) || isPaste(event)) return; // it comes as text
    event.preventDefault();
    const { key, code, keyCode: number, location, repeat: repeats } = event;
    const text = kind === 'down' ? typed(event) : '';
    this.send({
      type: 'key',
      event: kind,
      key,
      code,
      number,
      location,
      text,
      repeats,
      modifiers: modifiers(event),
    });
  }

  takeText() {
    this.write(this.field.value);
    this.field.value = '';
  }

  onPaste(event) {
    event.preventDefault();
    this.write(event.clipboardData.getData('text/plain'));
  }

  write(text) {
    for (const part of text.match(TEXT_PARTS) ?? []) this.send({ type: 'text', text: part });
  }
}

function modifiers({ altKey, ctrlKey, metaKey, shiftKey }) {
  return altKey * 1 + ctrlKey * 2 + metaKey * 4 + shiftKey * 8;
}

function pressedButton(buttons) {
  if (buttons & 1) return 'left';
  if (buttons & 2) return 'right';
  return buttons & 4 ? 'middle' : 'none';
}

// An input method, a dead key or a screen keyboard is at work.
function isWriting({ isComposing, key, keyCode }) {
  return isComposing || keyCode === 229 || key === 'Dead' || key === 'Process';
}

function isPaste({ ctrlKey, metaKey, shiftKey, altKey, key }) {
  if (key === 'Insert') return shiftKey;
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'v';
}

// Ctrl and Alt together give characters on many keyboards; either alone gives a command.
function typed(event) {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph');
  if (isCommand) return '';
  if (event.key === 'Enter') return '\r';
  return [...event.key].length === 1 ? event.key : '';
}
