// Means of the values themselves, as studies draw them: a panel for each workload, over
// its operations, and one for each operation, over the workloads.

import { baseline, nameOf, replication } from './data.js';
import { choice } from './controls.js';
import { value } from './format.js';
import { show, tooltip } from './panel.js';
import { room, rowAxis, rowHeight, text } from './rows.js';
import { scaled } from './scale.js';
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

// titleOf says of how many operations the means are: all of a panel are of the same ones.
function titleOf([{ workload, operation, cells, without }]) {
  const whole = cells.length + (without ?? []).length;
  const some = cells.length < whole ? `${cells.length} of ` : '';
  if (operation) return `${operation}, over ${some}${counted(whole, 'workload')}`;
  return `${workload || 'all workloads'}, over ${some}${counted(whole, 'operation')}`;
}

// rowsOf has the baseline first, and the others from the smallest value to the largest.
function rowsOf(group) {
  const row = (name, mean) => ({ name, mean });
  return [row(baseline, group[0].baseline), ...group.map((m) => row(m.variant, m.value)).sort((a, b) => a.mean - b.mean)];
}

function draw(group, width) {
  const { unit } = group[0];
  const rows = rowsOf(group);
  const left = room(rows.map((r) => r.name), width, 0.36);
  const scale = scaled(unit, rows.map((r) => [0, r.mean]));
  return {
    height: rows.length * rowHeight + scale.room,
    option: {
      grid: { left, right: 76, top: 4, bottom: scale.room - 4, outerBoundsMode: 'none' },
      xAxis: scale.axis(width - left - 76),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => [rows[dataIndex].name, `mean ${value(rows[dataIndex].mean, unit)}`]),
      series: [{
        type: 'custom', clip: false, data: rows.map((r, i) => [i, scale.at(r.mean)]), encode: { x: 1, y: 0 },
        renderItem: ({ dataIndex }, api) => item(rows[dataIndex], dataIndex, api, left, unit, scale),
      }],
    },
  };
}

function item({ name, mean }, index, api, left, unit, scale) {
  const [to, y] = api.coord([scale.at(mean), index]);
  const [from] = api.coord([scale.at(0), index]);
  return {
    type: 'group',
    children: [
      text(0, y, name, { width: left - 8 }),
      { type: 'rect', shape: { x: from, y: y - 8, width: to - from, height: 16 }, style: { fill: lookOf(name).colour, opacity: 0.45 } },
      text(to + 6, y, value(mean, unit), { soft: true }),
    ],
  };
}
