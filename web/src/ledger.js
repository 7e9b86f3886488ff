// Where the spans went: a bar of shares for each ledger in which something became of spans
// but that they came.

import { entries, ledgers } from './data.js';
import { legend } from './controls.js';
import { value } from './format.js';
import { figureAxis, show, tooltip } from './panel.js';
import { room, rowAxis, rowHeight, text } from './rows.js';
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

// came is the look of what came.
const came = 'delivered';

const entry = (ledger, name) => ledger.entries?.find((e) => e.name === name);
const spans = (ledger, name) => Math.max(0, entry(ledger, name)?.spans ?? 0);

export function ledger(section) {
  const rows = ledgers.map((l) => ({ l, total: parts.reduce((n, [name]) => n + spans(l, name), 0) })).filter((r) => r.total > 0);
  const place = section.querySelector('.charted');
  place.hidden = rows.length === 0;
  const used = parts.filter(([name]) => rows.some(({ l }) => spans(l, name) > 0));
  show(place.querySelector('.panels'), 'Where the spans went', rows.length ? [{ draw: (width) => draw(rows, used, width) }] : []);
  return () => legend(place.querySelector('.legend'), used.map(([name, tint]) => [titles[name], 'rect', { x: 1, y: 1, width: 24, height: 10, rx: 2, fill: colour(tint) }]));
}

function draw(rows, used, width) {
  const hops = new Set(rows.map(({ l }) => l.hop)).size > 1;
  const names = rows.map(({ l }) => [l.operation || 'whole run', l.variant, ...(hops ? [l.hop] : [])].join(' · '));
  const figures = rows.map((row) => missing(row, used));
  const wide = width > 620; // with room for names and figures beside the bars, not only above them
  const left = wide ? room(names, width, 0.3) : 14;
  const right = wide ? room(figures, width, 0.34) + 12 : 24;

  const beside = ({ dataIndex: i }, api) => {
    const y = api.coord([0, i])[1];
    const figureRoom = room([figures[i]], width, 0.62);
    return {
      type: 'group',
      children: [
        text(0, wide ? y : y - 15, names[i], { width: wide ? left - 12 : width - figureRoom - 8 }),
        wide ? text(width - right + 12, y, figures[i], { width: right - 12, soft: true }) : text(width - 2, y - 15, figures[i], { width: figureRoom, align: 'right', soft: true }),
      ],
    };
  };

  return {
    height: rows.length * (wide ? rowHeight : 44) + 34,
    option: {
      grid: { left, right, top: 4, bottom: 30, outerBoundsMode: 'none' },
      aria: { enabled: false },
      xAxis: figureAxis({ min: 0, max: 1, interval: 0.25, axisLabel: { formatter: (v) => `${Math.round(v * 100)} %` } }),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex, seriesIndex }) => tip(rows[dataIndex].l, used[seriesIndex][0])),
      series: [...used.map(([name, tint]) => ({
        type: 'bar', stack: 'spans', name: titles[name], barWidth: 14,
        itemStyle: { color: colour(tint), decal: patterns[tint] ? { ...patterns[tint], color: 'rgba(0,0,0,.35)' } : 'none' },
        data: rows.map(({ l, total }) => spans(l, name) / total),
      })), { id: 'names', type: 'custom', silent: true, clip: false, tooltip: { show: false }, encode: { x: 0, y: 1 }, data: rows.map((_, i) => [0, i]), renderItem: beside }],
    },
  };
}

// missing says what became of the spans that did not come, the most first.
function missing({ l, total }, used) {
  return used.filter(([, tint]) => tint !== came).map(([name]) => [titles[name], spans(l, name)]).filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a).map(([title, n]) => `${title} ${value(n / total, '1')}`).join(', ');
}

function tip(l, name) {
  const e = entry(l, name);
  return [`${l.operation} · ${l.variant}`, l.hop, `${titles[name]}: ${(e?.spans ?? 0).toLocaleString('en-US')} (${e?.how ?? ''})`, l.verdict].filter(Boolean);
}
