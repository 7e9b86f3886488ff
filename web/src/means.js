// Means of the values themselves, as studies draw them: a panel for each workload, over
// its operations, and one for each operation, over the workloads.

import { baseline, nameOf, replication, variants } from './data.js';
import { choice } from './controls.js';
import { axis, value } from './format.js';
import { figureAxis, show, tooltip } from './panel.js';
import { room, rowAxis, rowHeight, text } from './rows.js';
import { lookOf } from './theme.js';

const counted = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;

export function means(section) {
  const list = replication?.means ?? [];
  section.hidden = list.length === 0;
  const metrics = [...new Set(list.map((m) => m.metric))].map((m) => [m, nameOf(m)]);
  choice(section.querySelector('.controls'), 'Metric', metrics, (metric) => {
    show(section.querySelector('.panels'), 'Mean values', panelsOf(list.filter((m) => m.metric === metric)));
  });
}

// panelsOf has a panel for each workload, and for each operation; what is a mean over both
// is the last.
function panelsOf(list) {
  const groups = new Map();
  for (const m of list) {
    const key = JSON.stringify([m.workload, m.operation ?? '']);
    groups.set(key, [...(groups.get(key) ?? []), m]);
  }
  return [...groups.values()].map((group) => ({ title: titleOf(group), draw: (width) => draw(group, width) }));
}

// whole is how many operations there are, and all how many of them any of the means is of.
const whole = (group) => new Set(group.flatMap((m) => [...m.cells, ...(m.without ?? [])])).size;
const all = (group) => new Set(group.flatMap((m) => m.cells)).size;
const some = (group) => (all(group) < whole(group) ? `${all(group)} of ` : '');

function titleOf(group) {
  const { workload, operation } = group[0];
  if (operation) return `${operation}, over ${some(group)}${counted(whole(group), 'workload')}`;
  return `${workload || 'all workloads'}, over ${some(group)}${counted(whole(group), 'operation')}`;
}

// rowsOf has the baseline first. A mean that lacks some of the operations says so, and has
// the baseline's of the same before it: it is not to be held against any other.
function rowsOf(group) {
  const most = all(group);
  const row = (m, variant, mean) => ({ name: m.operations === most ? variant : `${variant} (${m.operations} of ${most})`, variant, mean });
  const complete = group.filter((m) => m.operations === most);
  return [
    ...complete.slice(0, 1).map((m) => row(m, baseline, m.baseline)), ...complete.map((m) => row(m, m.variant, m.value)),
    ...group.filter((m) => m.operations < most).flatMap((m) => [row(m, baseline, m.baseline), row(m, m.variant, m.value)]),
  ];
}

function draw(group, width) {
  const { unit } = group[0];
  const rows = rowsOf(group);
  const left = room(rows.map((r) => r.name), width, 0.36);
  const high = Math.max(...rows.map((r) => r.mean), 0);
  return {
    height: rows.length * rowHeight + 34,
    option: {
      grid: { left, right: 76, top: 4, bottom: 30, outerBoundsMode: 'none' },
      xAxis: figureAxis({ min: 0, axisLabel: { formatter: axis(unit, high) } }),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => [rows[dataIndex].name, `mean ${value(rows[dataIndex].mean, unit)}`]),
      series: [{
        type: 'custom', clip: false, data: rows.map((r, i) => [i, r.mean]), encode: { x: 1, y: 0 },
        renderItem: ({ dataIndex }, api) => item(rows[dataIndex], dataIndex, api, left, unit),
      }],
    },
  };
}

function item({ name, variant, mean }, index, api, left, unit) {
  const [to, y] = api.coord([mean, index]);
  const [from] = api.coord([0, index]);
  return {
    type: 'group',
    children: [
      text(0, y, name, { width: left - 8 }),
      { type: 'rect', shape: { x: from, y: y - 8, width: to - from, height: 16 }, style: { fill: lookOf(variants.indexOf(variant)).colour, opacity: 0.45 } },
      text(to + 6, y, value(mean, unit), { soft: true }),
    ],
  };
}
