// Units a second as bars: the past from the task's events, the present as it is told.

import { h, svg } from './dom.js';

const MAX_BARS = 120;
const WIDTH = 600;
const HEIGHT = 96;

export class RateChart {
  constructor(rate, done) {
    this.rate = rate ?? { start: Date.now(), bucket_s: 1, counts: [] };
    this.done = done;
    this.picture = svg('svg', {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      class: 'chart',
    });
    this.caption = h('figcaption', { class: 'quiet' });
    this.node = h('figure', {}, this.picture, this.caption);
    this.draw();
  }

  note(done) {
    const more = done - this.done;
    this.done = done;
    if (more <= 0) return;
    const { rate } = this;
    if (!rate.counts.length) rate.start = Date.now();
    let at = Math.max(0, Math.floor((Date.now() - rate.start) / 1000 / rate.bucket_s));
    while (at >= MAX_BARS) {
      this.halve();
      at = Math.floor(at / 2);
    }
    while (rate.counts.length <= at) rate.counts.push(0);
    rate.counts[at] += more;
    this.draw();
  }

  halve() {
    const { counts } = this.rate;
    const pairs = [];
    for (let i = 0; i < counts.length; i += 2) pairs.push(counts[i] + (counts[i + 1] ?? 0));
    this.rate.counts = pairs;
    this.rate.bucket_s *= 2;
  }

  draw() {
    const speeds = this.rate.counts.map((count) => count / this.rate.bucket_s);
    const most = Math.max(0, ...speeds);
    const step = WIDTH / Math.max(speeds.length, 30);
    this.picture.replaceChildren(
      ...speeds.map((speed, i) => {
        const height = most ? (speed / most) * (HEIGHT - 4) : 0;
        return svg('rect', {
          x: i * step,
          y: HEIGHT - height,
          width: Math.max(1, step - 1),
          height,
        });
      }),
    );
    const text = most
      ? `At most ${most.toFixed(1)} pages a second; a bar is ${this.rate.bucket_s} s`
      : 'Nothing has finished yet';
    this.caption.textContent = text;
    this.picture.setAttribute('aria-label', text);
  }
}
