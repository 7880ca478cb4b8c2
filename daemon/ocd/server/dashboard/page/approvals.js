// What waits for a person's consent: what exactly would happen, and the answer.

import { get, post } from "./connection.js";
import { action, h, heading, notice, pill, time } from "./dom.js";

const KINDS = { data: "data leaves", action: "action", tools: "tools changed", person: "your turn" };

export async function approvalsView(app) {
  const { approvals } = await get("/api/approvals");
  const list = new ApprovalList(app, approvals);
  return {
    title: "Approvals",
    node: list.node,
    onMessage: message => message.approvals && list.draw(message.approvals),
  };
}

class ApprovalList {
  constructor(app, approvals) {
    this.app = app;
    this.items = h("ol", { class: "items" });
    this.empty = h("div");
    this.node = [heading("Approvals"), this.items, this.empty];
    this.cards = new Map();
    this.draw(approvals);
  }

  // Cards that stay are the same elements: somebody may be about to press one of their buttons.
  draw(approvals) {
    const names = new Set(approvals.map(one => one.approval));
    for (const [name, card] of this.cards) {
      if (names.has(name)) continue;
      card.remove();
      this.cards.delete(name);
    }
    for (const one of approvals) {
      if (this.cards.has(one.approval)) continue;
      this.cards.set(one.approval, this.card(one));
      this.items.append(this.cards.get(one.approval));
    }
    this.empty.replaceChildren(...(approvals.length ? [] : [notice("Nothing waits for you",
      "When an agent may not go on without a person's consent, its question appears here.")]));
  }

  card(one) {
    const { params, details, url, verb, session, tab_id } = one;
    const more = { verb, session, tab_id, url, params, ...details };
    return h("li", { class: "card approval" },
      h("p", {}, pill(KINDS[one.kind] ?? one.kind, "running"), " ", time(one.asked_at), " ",
        h("span", { class: "quiet" }, one.waiting ? "a call waits" : "")),
      h("p", {}, h("strong", {}, one.asks)),
      h("details", {}, h("summary", {}, "What exactly"),
        h("pre", { tabindex: "0" }, JSON.stringify(more, null, 2))),
      this.app.viewer.control ? h("p", { class: "actions" }, this.buttons(one)) : null);
  }

  buttons(one) {
    const answer = body => () => post(`/api/approval/${encodeURIComponent(one.approval)}`, body);
    const buttons = [action("Allow once", answer({ allow: true, scope: "once" }), { class: "main" })];
    if (one.kind === "data" || one.kind === "action") {
      buttons.push(action("Allow for the session", answer({ allow: true, scope: "session" })));
    }
    buttons.push(action("Deny", answer({ allow: false, scope: "once" }), { class: "bad" }));
    return buttons;
  }
}
