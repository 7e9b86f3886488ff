// Why it costs that: what each cause adds, as a bar with its interval, a panel for each variant in its hue.

import { baseline, causes as all, isFinite } from './data.js';
import { choice } from './controls.js';
import { show, tooltip } from './panel.js';
import { extent, room, rowAxis, rowHeight, text, whisker } from './rows.js';
import { scaled } from './scale.js';
import { colour, lookOf } from './theme.js';

export function causes(section) {
  const place = section.querySelector('.charted');
  if (!place) return;
  place.hidden = all.length === 0;
  const controls = place.querySelector('.controls');
  const asked = { group: all[0]?.group, axis: 'task' };
  const fill = () => {
    const own = all.filter((c) => c.group === asked.group);
    const axis = own.some((c) => c.axis === asked.axis) ? asked.axis : own[0]?.axis; // a start has one of its own
    show(place.querySelector('.panels'), 'Causes with their intervals', own.filter((c) => c.axis === axis).map((c) => ({
      title: `${c.group}: ${c.variant}${c.against === baseline ? '' : ` over ${c.against}`}`, draw: (width) => draw(c, width),
    })));
  };
  const set = (name) => (chosen) => { asked[name] = chosen; fill(); };
  const of = (key) => [...new Set(all.map((c) => c[key]))].filter((name) => name !== 'part').map((name) => [name, name]);
  choice(controls, 'Operation', of('group'), set('group'));
  choice(controls, 'By', of('axis'), set('axis'));
}

function draw({ variant, rows }, width) {
  const wide = width > 620; // with room for names and figures beside the bars, not only above them
  const names = wide ? room(rows.map((r) => r.name), width, 0.36) : 4;
  const figures = wide ? room(rows.map((r) => r.text), width, 0.4) : 4;
  const right = figures + (wide ? 8 : 26);
  // Never logarithmic: a bar of twice the length is twice the cost.
  const scale = scaled('s', rows.map((r) => extent(r)), { log: false });
  const item = ({ dataIndex }, api) => {
    const r = rows[dataIndex];
    const x = (v) => api.coord([v, dataIndex])[0];
    const y = api.coord([0, dataIndex])[1];
    const tint = lookOf(variant).colour;
    const [line, mark] = wide ? [y, y] : [y - 11, y + 8];
    const [from, to] = [x(0), x(r.estimate)];
    const figure = wide ? figures - 6 : room([r.text], width, 0.6);
    const children = [
      text(wide ? 0 : 4, line, r.name, { width: wide ? names - 10 : width - figure - 12 }),
      {
        type: 'rect', style: { fill: tint, opacity: 0.4 },
        shape: { x: Math.min(from, to), y: mark - 7, width: Math.max(1, Math.abs(to - from)), height: 14 },
      },
      text(width - 2, line, r.text, { align: 'right', width: figure, soft: true }),
    ];
    if (isFinite(r.low) && isFinite(r.high)) children.push(...whisker(x(r.low), x(r.high), mark, tint));
    return { type: 'group', children };
  };
  return {
    height: rows.length * (wide ? rowHeight : 42) + scale.room,
    option: {
      grid: { left: names, right, top: 4, bottom: 30, outerBoundsMode: 'none' },
      xAxis: scale.axis(width - names - right, wide ? {} : { alignMinLabel: 'left' }),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => [rows[dataIndex].name, `${variant} adds ${rows[dataIndex].text}`]),
      series: [{
        type: 'custom', renderItem: item, clip: false, encode: { x: [1, 2, 3], y: 0 },
        data: rows.map((r, i) => [i, ...extent(r)]),
        markLine: {
          silent: true, symbol: 'none', label: { show: false }, data: [{ xAxis: 0, lineStyle: { color: colour('soft'), type: 'solid', width: 1 } }],
        },
      }],
    },
  };
}
