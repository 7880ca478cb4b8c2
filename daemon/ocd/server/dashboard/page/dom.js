// Elements, and values as a person reads them. Text becomes text nodes, never markup.

const PROPERTIES = new Set(['checked', 'disabled', 'hidden', 'open', 'value']);

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function tabPath(tab) {
  return `/tab/${encodeURIComponent(tab.session)}/${encodeURIComponent(tab.tab_id)}`;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function time(text) {
  const moment = new Date(text);
  if (!text || Number.isNaN(moment.getTime())) return h('span', {}, '–');
  const isToday = moment.toDateString() === new Date().toDateString();
  const label = (isToday ? CLOCK : DAY).format(moment);
  return h('time', { datetime: text, title: DAY.format(moment) }, label);
}

export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(count) {
  if (count < 1024) return `${count} B`;
  const units = ['KB', 'MB', 'GB'];
  let value = count / 1024;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function plural(count, noun, many = `${noun}s`) {
  return `${count.toLocaleString()} ${count === 1 ? noun : many}`;
}

export function heading(text, ...beside) {
  return h('div', { class: 'heading' }, h('h1', {}, text), ...beside);
}

export function notice(title, text, ...more) {
  return h('div', { class: 'notice' }, h('h2', {}, title), h('p', {}, text), ...more);
}

export function failure(error) {
  const hint = error.hint ? h('p', {}, error.hint) : null;
  return h(
    'div',
    { class: 'notice bad', role: 'alert' },
    h('h2', {}, error.title ?? 'Something went wrong'),
    h('p', {}, error.message),
    hint,
  );
}

export function pill(text, kind) {
  return h('span', { class: `pill ${kind}` }, text);
}

// What a busy button shows while its work runs; failures are told beside it.
export function action(label, work, attributes = {}) {
  const told = h('span', { class: 'told', role: 'status' });
  const button = h(
    'button',
    {
      type: 'button',
      ...attributes,
      onclick: async () => {
        button.disabled = true;
        told.textContent = '';
        try {
          await work();
        } catch (error) {
          told.textContent = error.message;
        } finally {
          button.disabled = false;
        }
      },
    },
    label,
  );
  return h('span', { class: 'action' }, button, told);
}
