// What waits for a person's consent: what exactly would happen, and the answer.

import { get, post } from './connection.js';
import { turnButtons } from './control.js';
import { action, h, heading, notice, pill, tabPath, time } from './dom.js';

const KINDS = { data: 'sends data', action: 'action', tools: 'tools changed', person: 'your turn' };

export async function approvalsView(app) {
  const { approvals } = await get('/api/approvals');
  const empty = notice(
    'Nothing needs your attention',
    "Calls that need a person's consent, and requests from agents for your help, appear here.",
  );
  const list = new ApprovalList(app, { approvals, empty });
  return {
    title: 'Approvals',
    node: [heading('Approvals'), list.items, list.empty],
    onMessage: (message) => message.approvals && list.draw(message.approvals),
  };
}

// Nodes that say whether somebody still waits: a call does until its deadline.
function waits(one) {
  if (one.waiting)
    return one.waits_until
      ? ['a call is waiting until ', time(one.waits_until)]
      : ['a call is waiting'];
  return one.asked_at ? ['no call is waiting: the answer applies to the next identical call'] : [];
}

// isShown: which ones. empty: what stands there without any. onDone: called when a turn was done.
export class ApprovalList {
  constructor(app, { approvals, empty = null, isShown = () => true, onDone }) {
    this.app = app;
    this.isShown = isShown;
    this.onDone = onDone;
    this.items = h('ol', { class: 'items', 'aria-label': 'Needs your attention' });
    this.empty = h('div', {}, empty);
    this.cards = new Map();
    this.draw(approvals);
  }

  // Cards that stay are the same elements: somebody may be about to press one of their buttons.
  draw(all) {
    const approvals = all.filter(this.isShown);
    const names = new Set(approvals.map((one) => one.approval));
    for (const [name, card] of this.cards) {
      if (names.has(name)) continue;
      card.remove();
      this.cards.delete(name);
    }
    for (const one of approvals) {
      if (!this.cards.has(one.approval)) {
        this.cards.set(one.approval, this.card(one));
        this.items.append(this.cards.get(one.approval));
      }
      this.cards
        .get(one.approval)
        .querySelector('.waits')
        .replaceChildren(...waits(one));
    }
    this.items.hidden = !approvals.length;
    this.empty.hidden = approvals.length > 0;
  }

  card(one) {
    const { params, details, url, verb, session, tab_id } = one;
    const more = { verb, session, tab_id, url, params, ...details };
    return h(
      'li',
      { class: 'card approval' },
      h(
        'p',
        {},
        pill(KINDS[one.kind] ?? one.kind, 'running'),
        ' ',
        time(one.asked_at),
        ' ',
        h('span', { class: 'waits quiet' }),
      ),
      h('p', {}, h('strong', {}, one.asks)),
      tab_id ? h('p', {}, h('a', { href: tabPath(one) }, `Show the tab ${tab_id}`)) : null,
      h(
        'details',
        {},
        h('summary', {}, 'Details'),
        h('pre', { tabindex: '0' }, JSON.stringify(more, null, 2)),
      ),
      this.app.viewer.control ? h('p', { class: 'actions' }, this.buttons(one)) : null,
    );
  }

  buttons(one) {
    const send = (body) => post(`/api/approval/${encodeURIComponent(one.approval)}`, body);
    const answer = (body) => () => send(body);
    if (one.kind === 'person') return turnButtons(send, this.onDone);
    const buttons = [
      action('Allow once', answer({ allow: true, scope: 'once' }), { class: 'main' }),
    ];
    if (one.kind === 'data' || one.kind === 'action') {
      buttons.push(action('Allow for the session', answer({ allow: true, scope: 'session' })));
    }
    buttons.push(action('Deny', answer({ allow: false, scope: 'once' }), { class: 'bad' }));
    return buttons;
  }
}
