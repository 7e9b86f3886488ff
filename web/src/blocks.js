// Every block: a dot for each run, joined within a block.

import { at, baseline, byGroup, levels, metrics, of, worse } from './data.js';
import { oneLine, value } from './format.js';
import { choices } from './controls.js';
import { show, tooltip } from './panel.js';
import { room } from './rows.js';
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
  const slot = (width - 70) / names.length;
  const turned = room(names, width, 1) > slot;
  const height = turned ? 320 : 260;
  return {
    height,
    option: {
      grid: { left: 8, right: 8, top: scale.log ? 26 : 12, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: {
        type: 'category', data: names, axisTick: { show: false }, axisLine: { lineStyle: { color: colour('line') } },
        axisLabel: { color: colour('soft'), fontSize: 12, interval: 0, formatter: oneLine, rotate: turned ? 40 : 0, width: turned ? 100 : slot, overflow: 'truncate' },
      },
      yAxis: scale.upright(height - 60),
      tooltip: tooltip(({ seriesName, dataIndex, data }) => [names[dataIndex], seriesName, value(data.figure, unit)]),
      series: [...values.map(([block, row]) => run(`block ${block}`, names, row, scale)), bars(names, centre, slot, scale)],
    },
  };
}

const run = (name, names, row, scale) => ({
  type: 'line', name, symbol: 'circle', symbolSize: 7, showAllSymbol: true, connectNulls: true,
  lineStyle: { color: colour('soft'), width: 1, opacity: 0.4 },
  emphasis: { focus: 'series', lineStyle: { width: 2, opacity: 1 } },
  data: names.map((v) => ({ value: row.has(v) ? scale.at(row.get(v)) : '-', figure: row.get(v), itemStyle: { color: lookOf(v).colour, opacity: 0.85 } })),
});

const bars = (names, centre, slot, scale) => ({
  type: 'scatter', name: 'centre', symbol: 'rect', symbolSize: [Math.min(46, slot * 0.6), 2.5], silent: true, z: 5,
  itemStyle: { color: colour('ink') }, data: names.map((v) => (centre.has(v) ? scale.at(centre.get(v)) : '-')),
});
