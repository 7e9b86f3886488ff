// A replication: what each variant costs, a bar with its interval, and beside it a mark for
// what was published.

import { isFinite, nameOf, replication, tables as all, worse } from './data.js';
import { choice, legend } from './controls.js';
import { ofDifference, value } from './format.js';
import { show, tooltip } from './panel.js';
import { room, rowAxis, rowHeight, text, whisker } from './rows.js';
import { scaled } from './scale.js';
import { colour, lookOf } from './theme.js';

const place = (r) => [r.operation || 'whole run', ...Object.entries(r.parameter ?? {}).sort().map(([name, v]) => `${name}=${v}`)].join(', ');

// costOf is a row's interval: a ratio where the table has one, otherwise what is added.
const isRatio = (t) => !t.amount && t.rows.some((r) => r.cost);
const costOf = (t, r) => (isRatio(t) ? r.cost : r.variant === t.baseline ? null : r.added);

// publishedOf are the published costs of a row: [series, cost].
const publishedOf = (t, r) => (r.published ?? []).filter((p) => (t.amount ? isFinite(p.added) : isFinite(p.cost) || !isRatio(t))).map((p) => [p.series, p.cost ?? p.added ?? p.value]);

// A series is told by its mark: corners about a middle.
const marks = [[[0, -6], [6, 0], [0, 6], [-6, 0]], [[-5, -5], [5, -5], [5, 5], [-5, 5]], [[0, -6], [6, 5], [-6, 5]]];
const markOf = (series) => marks[series % marks.length];

export function studied(section) {
  const tables = all.filter((t) => t.rows.some((r) => costOf(t, r)));
  section.hidden = tables.length === 0;
  const metrics = [...new Set(tables.map((t) => t.metric))].map((m) => [m, nameOf(m)]);
  choice(section.querySelector('.controls'), 'Metric', metrics, (metric) => {
    const panels = section.querySelector('.panels');
    const shown = tables.filter((t) => t.metric === metric);
    panels.classList.toggle('one', shown.length === 1);
    show(panels, 'Costs with their intervals, and published ones', shown.map((t) => ({ title: t.workload, draw: (width) => draw(t, width) })));
  });
  return () => legend(section.querySelector('.legend'), [
    ['measured', 'rect', { x: 1, y: 2, width: 24, height: 8, rx: 1, fill: colour('soft'), opacity: 0.45 }],
    ...(replication.series ?? []).map((s, i) => [s.name, 'polygon', {
      points: markOf(i).map(([x, y]) => `${13 + x * 0.9},${6 + y * 0.9}`).join(' '), fill: colour('paper'), stroke: colour('ink'), 'stroke-width': 1.5,
    }]),
  ]);
}

function draw(table, width) {
  const rows = rowsOf(table);
  const unit = isRatio(table) ? '1' : ofDifference(table.unit);
  const left = room(rows.map((r) => r.title ?? `  ${r.name}`), width, 0.36);
  const reached = rows.map(({ row }) => (row ? reach(table, row) : [0, 0]));
  const high = Math.max(...reached.flat().map(Math.abs));
  const ends = reached.map((both) => both.map((v) => (Math.abs(v) < 0.02 * high ? Math.max(0, v) : v))); // what is hardly below nought needs no room of its own
  const scale = scaled(unit, ends);
  return {
    height: rows.length * rowHeight + scale.room,
    option: {
      grid: { left, right: 24, top: 4, bottom: scale.room - 4, outerBoundsMode: 'none' },
      xAxis: scale.axis(width - left - 24),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => tip(table, rows[dataIndex], unit)),
      series: [{
        type: 'custom', clip: false, data: ends.map((both, i) => [i, ...scale.all(both)]), encode: { x: [1, 2], y: 0 },
        renderItem: ({ dataIndex }, api) => item(table, rows[dataIndex], dataIndex, api, left, width, scale),
        markLine: { silent: true, symbol: 'none', label: { show: false }, data: [{ xAxis: 0, lineStyle: { color: colour('soft'), type: 'solid', width: 1 } }] },
      }],
    },
  };
}

// reach is from where to where a row's marks go, nought among them.
function reach(table, row) {
  const i = costOf(table, row);
  const all = [0, i?.estimate, i?.low, i?.high, ...publishedOf(table, row).map(([, v]) => v)].filter(isFinite);
  return [Math.min(...all), Math.max(...all)];
}

// rowsOf has a title for each operation, and a row for each variant that has a cost, from
// the cheapest to the dearest; below them those that lost spans, and what was only published.
function rowsOf(table) {
  const groups = new Map();
  for (const row of table.rows) {
    if (!costOf(table, row) && publishedOf(table, row).length === 0) continue;
    groups.set(place(row), [...(groups.get(place(row)) ?? []), row]);
  }
  const rank = (r) => (costOf(table, r) ? (r.lossy ? 1 : 0) : 2);
  const cost = (r) => worse(costOf(table, r)?.estimate ?? 0, table.better);
  const name = (r) => (r.lossy ? `${r.variant} †` : r.suppressed ? `${r.variant} ‡` : r.variant);
  return [...groups].flatMap(([title, own]) => [{ title }, ...own.sort((a, b) => rank(a) - rank(b) || cost(a) - cost(b)).map((row) => ({ row, name: name(row) }))]);
}

function item(table, { title, row, name }, index, api, left, width, scale) {
  const y = api.coord([0, index])[1];
  const x = (v) => api.coord([scale.at(v), index])[0];
  if (title !== undefined) return { type: 'group', children: [text(0, y, title, { bold: true, width: width - 4 })] };
  const tint = lookOf(row.variant).colour;
  const children = [text(14, y, name, { width: left - 22 })];
  const i = costOf(table, row);
  if (i) {
    const [from, to] = [x(0), x(i.estimate)].sort((a, b) => a - b);
    children.push({ type: 'rect', shape: { x: from, y: y - 7, width: to - from, height: 14 }, style: { fill: tint, opacity: row.lossy ? 0.15 : 0.45 } });
    if (isFinite(i.low) && isFinite(i.high)) children.push(...whisker(x(i.low), x(i.high), y, tint));
  }
  for (const [series, v] of publishedOf(table, row)) {
    children.push({
      type: 'polygon', shape: { points: markOf(series).map(([dx, dy]) => [x(v) + dx, y + dy]) },
      style: { fill: colour('paper'), stroke: colour('ink'), lineWidth: 1.5 },
    });
  }
  return { type: 'group', children };
}

function tip(table, { title, row }, unit) {
  if (!row) return [title];
  return [
    `${row.variant} on ${place(row)}`, ...(costOf(table, row) ? [`measured ${row.text}`] : []),
    ...publishedOf(table, row).map(([series, v]) => `${replication.series[series].name} ${value(v, unit)}`),
    ...(row.lossy ? ['lost over 1 % of its spans'] : []), ...(row.reason?.text ? [row.reason.text] : []),
  ];
}
