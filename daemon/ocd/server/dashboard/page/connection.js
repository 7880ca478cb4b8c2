// Requests to the daemon, and the one WebSocket on which it tells what happens.

const RETRY_MS = [500, 1000, 2000, 5000];

export class RequestError extends Error {
  constructor({ code = 'internal', message = 'The daemon gave no reason', hint } = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    if (code === 'no_daemon') this.title = 'The daemon does not respond';
    if (code === 'login_required') this.title = 'This browser has no access';
  }
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new RequestError({
      code: 'no_daemon',
      message: 'It was stopped, or the tunnel to it is closed.',
      hint: 'Start it again and run: oc dashboard',
    });
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new RequestError(body.error);
  return body;
}

export function get(path) {
  return request(path, { headers: { Accept: 'application/json' } });
}

export async function post(path, content) {
  const headers = { 'Content-Type': 'application/json' };
  return (await request(path, { method: 'POST', headers, body: JSON.stringify(content) })).result;
}

export function call(verb, params = {}) {
  return post('/api/call', { verb, params });
}

// Stays connected as long as the page is open; `state` is told "open", "lost" or "locked".
export class EventConnection {
  constructor({ message, frame, state }) {
    this.tell = { message, frame, state };
    this.attempts = 0;
    this.wishes = new Map();
    this.open();
  }

  open() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.socket = new WebSocket(`${scheme}://${location.host}/api/events`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.onOpen();
    this.socket.onmessage = (event) => this.onMessage(event.data);
    this.socket.onclose = () => this.onClose();
  }

  onOpen() {
    this.attempts = 0;
    for (const wish of this.wishes.values()) this.socket.send(JSON.stringify(wish));
    this.tell.state('open');
  }

  onMessage(data) {
    if (typeof data === 'string') this.tell.message(JSON.parse(data));
    else this.tell.frame(data);
  }

  // A wish holds until it is replaced, over reconnections, too.
  wish(name, message) {
    this.wishes.set(name, message);
    this.send(message);
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  async onClose() {
    this.tell.state('lost');
    const pause = RETRY_MS[Math.min(this.attempts, RETRY_MS.length - 1)];
    this.attempts += 1;
    await new Promise((done) => setTimeout(done, pause));
    try {
      await get('/api/status');
    } catch (error) {
      if (error.code === 'login_required') {
        this.tell.state('locked');
        return;
      }
    }
    this.open();
  }
}
