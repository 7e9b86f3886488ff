// Names beside what they name, so that nobody has to look a line up in a legend.

import { room, text } from './rows.js';
import { lookOf } from './theme.js';

const lineHeight = 15;
const lead = 18; // of the line from a mark to its name

// apart moves places that are less than a line from each other, within some bounds.
function apart(places, top, bottom) {
  const moved = [...places].sort((a, b) => a.y - b.y).map((p) => ({ ...p, to: p.y }));
  moved.forEach((p, i) => { p.to = Math.max(p.to, i > 0 ? moved[i - 1].to + lineHeight : top); });
  moved.forEach((p, i) => { p.to = Math.min(p.to, bottom - (moved.length - 1 - i) * lineHeight); });
  return moved;
}

// roomBeside is how much of the width the names need to the right of a chart.
export const roomBeside = (names, width) => room(names, width, 0.34) + lead + 4;

// heightFor is at least that of a chart with so many names beside it.
export const heightFor = (names, least) => Math.max(least, names.length * lineHeight + 50);

// beside are the names at the right of a chart, each joined with the end of its line:
// { name, end: [x, y] } by the axes' figures.
export const beside = (all, width) => ({
  id: 'names', type: 'custom', silent: true, clip: false, tooltip: { show: false }, z: 7, encode: { x: 0, y: 1 },
  data: all.length > 0 ? [all[0].end] : [],
  renderItem: ({ coordSys: { x: left, y: top, width: wide, height } }, api) => {
    const right = left + wide;
    const places = all.map(({ name, end }) => ({ name, x: api.coord(end)[0], y: api.coord(end)[1] }));
    return {
      type: 'group',
      children: apart(places, top, top + height).flatMap(({ name, x, y, to }) => {
        const { colour, dash } = lookOf(name);
        const far = right - x > 2 * lead; // a long line must not look like a figure
        return [
          {
            type: 'polyline', silent: true, shape: { points: [[x + 4, y], [Math.max(x + 4, right + 2), y], [right + lead, to]] },
            style: far
              ? { stroke: colour, lineWidth: 1, lineDash: [1, 4], fill: 'none' }
              : { stroke: colour, lineWidth: 1.5, lineDash: dash === 'solid' ? null : dash, fill: 'none' },
          },
          text(right + lead + 3, to, name, { width: width - right - lead - 4 }),
        ];
      }),
    };
  },
});

// roomAbove is the height of the names above a chart.
export const roomAbove = (names) => names.length * lineHeight + 8;

// above are the names over a chart, each joined with its mark below: { name, end: [x, y] }.
export const above = (all) => ({
  id: 'names', type: 'custom', silent: true, clip: false, tooltip: { show: false }, z: 7, encode: { x: 0, y: 1 },
  data: all.length > 0 ? [all[0].end] : [],
  renderItem: ({ coordSys: { x: left, width: wide } }, api) => {
    const places = all.map(({ name, end }) => ({ name, x: api.coord(end)[0], y: api.coord(end)[1] })).sort((a, b) => b.x - a.x);
    return {
      type: 'group',
      children: places.flatMap(({ name, x, y }, i) => {
        const line = 6 + i * lineHeight + lineHeight / 2;
        const before = x > left + wide / 2; // where there is more room
        return [
          { type: 'line', silent: true, shape: { x1: x, y1: line, x2: x, y2: Number.isFinite(y) ? y : line }, style: { stroke: lookOf(name).colour, lineWidth: 1, opacity: 0.6 } },
          text(before ? x - 5 : x + 5, line, name, { align: before ? 'right' : 'left' }),
        ];
      }),
    };
  },
});
