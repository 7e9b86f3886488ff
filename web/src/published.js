// The lines that a study published over depth. They are of what tracing adds, so that they
// stand on our own baseline.

import { lookOf } from './theme.js';

// dots is how such a line is drawn.
export const dots = [1, 4];

export const dotted = ({ variant, points }, scale) => ({
  type: 'line', name: `${variant}, published`, symbol: 'none', silent: true, tooltip: { show: false },
  lineStyle: { color: lookOf(variant).colour, type: dots, width: 1.5 }, data: points.map(([x, y]) => [x, scale.at(y)]),
});
