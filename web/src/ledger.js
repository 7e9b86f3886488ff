// Where the spans went: each ledger as a bar of shares.

import { doc, entries } from './data.js';
import { legend } from './controls.js';
import { oneLine } from './format.js';
import { figureAxis, show, tooltip } from './panel.js';
import { room, rowHeight } from './rows.js';
import { colour } from './theme.js';

// The entries that share out what was expected, with their colour and pattern.
const parts = entries.map(({ name, look }) => [name, look]);
const titles = Object.fromEntries(entries.map(({ name, text }) => [name, text]));
const patterns = {
  suppressed: { rotation: Math.PI / 2, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  dropped: { rotation: Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  failed: { rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  stopped: { rotation: Math.PI / 2, dashArrayX: [1, 0], dashArrayY: [4, 3] },
  'sampled-way': { dashArrayX: [[1, 5]], dashArrayY: [1, 5] },
  'dropped-way': { rotation: Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [4, 3] },
  'failed-way': { rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [4, 3] },
  unaccounted: { dashArrayX: [[3, 3]], dashArrayY: [3, 3] },
  duplicated: { dashArrayX: [1, 0], dashArrayY: [2, 4] },
};

const entry = (ledger, name) => ledger.entries?.find((e) => e.name === name);
const spans = (ledger, name) => Math.max(0, entry(ledger, name)?.spans ?? 0);

export function ledger(section) {
  const rows = (doc.ledgers ?? []).map((l) => ({ l, total: parts.reduce((n, [name]) => n + spans(l, name), 0) })).filter((r) => r.total > 0);
  const place = section.querySelector('.charted');
  place.hidden = rows.length === 0;
  const used = parts.filter(([name]) => rows.some(({ l }) => spans(l, name) > 0));
  show(place.querySelector('.panels'), 'Where the spans went', rows.length ? [{ draw: (width) => draw(rows, used, width) }] : []);
  return () => legend(place.querySelector('.legend'), used.map(([name, tint]) => [titles[name], 'rect', { x: 1, y: 1, width: 24, height: 10, rx: 2, fill: colour(tint) }]));
}

function draw(rows, used, width) {
  const hops = new Set(rows.map(({ l }) => l.hop)).size > 1;
  const names = rows.map(({ l }) => [l.operation || 'whole run', l.variant, ...(hops ? [l.hop] : [])].map(oneLine).join(' · '));
  const left = room(names, width, 0.42);
  return {
    height: rows.length * rowHeight + 34,
    option: {
      grid: { left, right: 24, top: 4, bottom: 30, outerBoundsMode: 'none' },
      aria: { enabled: false },
      xAxis: figureAxis({ min: 0, max: 1, interval: 0.25, axisLabel: { formatter: (v) => `${Math.round(v * 100)} %` } }),
      yAxis: {
        type: 'category', inverse: true, data: names, axisTick: { show: false }, axisLine: { show: false },
        axisLabel: { color: colour('ink'), fontSize: 13, interval: 0, align: 'left', margin: left, width: left - 12, overflow: 'truncate' },
      },
      tooltip: tooltip(({ dataIndex, seriesIndex }) => tip(rows[dataIndex].l, used[seriesIndex][0])),
      series: used.map(([name, tint]) => ({
        type: 'bar', stack: 'spans', name: titles[name], barWidth: 14,
        itemStyle: { color: colour(tint), decal: patterns[tint] ? { ...patterns[tint], color: 'rgba(0,0,0,.35)' } : 'none' },
        data: rows.map(({ l, total }) => spans(l, name) / total),
      })),
    },
  };
}

function tip(l, name) {
  const e = entry(l, name);
  return [`${l.operation} · ${l.variant}`, l.hop, `${titles[name]}: ${(e?.spans ?? 0).toLocaleString('en-US')} (${e?.how ?? ''})`, l.verdict].filter(Boolean);
}
