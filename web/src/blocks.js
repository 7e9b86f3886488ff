// Every block: a dot for each run, in the order of the blocks, joined within a variant: drift and jumps show.

import { at, baseline, byGroup, levels, metrics, of, worse } from './data.js';
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

// table is the values by block and variant, and the centres; the variants from the
// cheapest to the dearest, the baseline first.
function table(list) {
  const cheapest = [...list].sort((a, b) => worse(a.value, a.better) - worse(b.value, b.better));
  const names = [...new Set([baseline, ...cheapest.map((f) => f.variant)])];
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
  const centre = new Map([[baseline, list[0].baseline], ...list.map((f) => [f.variant, f.value])]);
  return { names, values: [...values].sort(([a], [b]) => a - b), centre };
}

function draw(list, width) {
  const { names, values, centre } = table(list);
  const { unit } = list[0];
  const scale = scaled(unit, values.flatMap(([, row]) => [...row.values()].map((v) => [v])), { zero: false });
  const ends = names.map((name) => lastOf(name, values, scale)).filter(Boolean);
  const height = heightFor(names, 260);
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
      series: [...names.map((name) => line(name, values, centre, scale)), beside(ends, width)],
    },
  };
}

// lastOf is where a variant's line ends.
function lastOf(name, values, scale) {
  const i = values.findLastIndex(([, row]) => row.has(name));
  return i < 0 ? undefined : { name, end: [i, scale.at(values[i][1].get(name))] };
}

// line is a variant over the blocks, with its centre as a thin line behind it.
function line(name, values, centre, scale) {
  const { colour: tint, symbol, dash } = lookOf(name);
  return {
    type: 'line', name, symbol, symbolSize: 7, showAllSymbol: true, connectNulls: true, emphasis: { focus: 'series' },
    lineStyle: { color: tint, width: 1.5, type: dash }, itemStyle: { color: tint },
    data: values.map(([, row]) => ({ value: row.has(name) ? scale.at(row.get(name)) : '-', figure: row.get(name) })),
    markLine: {
      silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: tint, type: 'solid', width: 1, opacity: 0.4 },
      data: centre.has(name) ? [{ yAxis: scale.at(centre.get(name)) }] : [],
    },
  };
}
