// Every block: a dot for each run, in the order of the blocks, joined within a variant: drift and jumps show.

import { at, baseline, byGroup, isFinite, levels, metrics, of } from './data.js';
import { value } from './format.js';
import { choices } from './controls.js';
import { beside, heightFor, roomBeside } from './labels.js';
import { show, tooltip } from './panel.js';
import { scaled } from './scale.js';
import { colour, lookOf } from './theme.js';

const paired = (f) => f.against === baseline && f.samples?.length > 0;

export function blocks(section) {
  const options = metrics(paired);
  section.hidden = options.length === 0;
  choices(section.querySelector('.controls'), options, levels, (metric, level) => {
    const list = byGroup(of(metric, paired).filter(at(level))).map(([title, fs]) => ({ title, draw: (width) => draw(fs, width) }));
    show(section.querySelector('.panels'), 'The value of every block', list);
  });
}

// table is the values by block and variant, the baseline first.
function table(list) {
  const names = [...new Set([baseline, ...list.map((f) => f.variant)])];
  const values = new Map();
  const put = (block, name, v) => {
    if (!values.has(block)) values.set(block, new Map());
    values.get(block).set(name, v);
  };
  for (const f of list) {
    for (const s of f.samples) {
      put(s.block, baseline, s.baseline);
      put(s.block, f.variant, s.value);
    }
  }
  return { names, values: [...values].sort(([a], [b]) => a - b) };
}

// farOut are the values that would stretch the axis: far above what their variant has else, and above all others; a tenth at most.
function farOut(names, values) {
  const middle = new Map(names.map((name) => {
    const own = values.map(([, row]) => row.get(name)).filter(isFinite).sort((a, b) => a - b);
    return [name, own[Math.floor((own.length - 1) / 2)]];
  }));
  const all = values.flatMap(([, row]) => [...row].map(([name, v]) => ({ name, v }))).filter(({ v }) => isFinite(v)).sort((a, b) => b.v - a.v);
  const few = Math.max(1, Math.floor(all.length / 10));
  const n = all.findIndex(({ name, v }, i) => !(v > 3 * Math.abs(middle.get(name))) || i > few);
  const far = all.slice(0, Math.max(0, n));
  return far.length > 0 && far.length <= few && far.at(-1).v > 2 * Math.abs(all[far.length].v) ? new Set(far.map(({ v }) => v)) : new Set();
}

function draw(list, width) {
  const { names, values } = table(list);
  const { unit } = list[0];
  const far = farOut(names, values);
  const within = scaled(unit, values.flatMap(([, row]) => [...row.values()].filter((v) => !far.has(v)).map((v) => [v])), { zero: false });
  const height = heightFor(names, 260);
  const edge = within.upright(height - 76).max;
  const scale = { ...within, far, edge, at: (v) => (far.has(v) ? edge : within.at(v)) };
  const ends = names.map((name) => lastOf(name, values, scale)).filter(Boolean);
  return {
    height,
    option: {
      grid: { left: 8, right: roomBeside(names, width), top: scale.log ? 26 : 12, bottom: 24, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: {
        type: 'category', data: values.map(([block]) => String(block)), name: 'block, in time', nameLocation: 'middle', nameGap: 24, nameTextStyle: { color: colour('soft'), fontSize: 12 },
        axisTick: { show: false }, axisLine: { lineStyle: { color: colour('line') } }, axisLabel: { color: colour('soft'), fontSize: 12, hideOverlap: true },
      },
      yAxis: scale.upright(height - 76),
      tooltip: tooltip(({ seriesName, name, data }) => [seriesName, `block ${name}`, value(data.figure, unit)]),
      series: [...names.map((name) => line(name, values, scale, unit)), beside(ends, width)],
    },
  };
}

// lastOf is where a variant's line ends.
function lastOf(name, values, scale) {
  const i = values.findLastIndex(([, row]) => row.has(name));
  return i < 0 ? undefined : { name, end: [i, scale.at(values[i][1].get(name))] };
}

// line is a variant over the blocks. What is far out stands at the edge, with its figure.
function line(name, values, scale, unit) {
  const { colour: tint, symbol, dash } = lookOf(name);
  const beyond = (v) => (scale.far.has(v) ? { symbol: 'triangle', symbolSize: 11, label: { show: true, position: 'bottom', formatter: value(v, unit), color: colour('ink'), fontSize: 12 } } : {});
  return {
    type: 'line', name, symbol, symbolSize: 7, showAllSymbol: true, connectNulls: true, emphasis: { focus: 'series' },
    lineStyle: { color: tint, width: 1.5, type: dash }, itemStyle: { color: tint },
    data: values.map(([, row]) => ({ value: row.has(name) ? scale.at(row.get(name)) : '-', figure: row.get(name), ...beyond(row.get(name)) })),
  };
}
