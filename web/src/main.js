// Fills the page's places with charts. The page says everything in its tables
// too; a chart that fails must not take the others with it.

import { blocks } from './blocks.js';
import { causes } from './causes.js';
import { flames } from './flames.js';
import { forest } from './forest.js';
import { frontier } from './frontier.js';
import { ladder } from './ladder.js';
import { latency } from './latency.js';
import { ledger } from './ledger.js';
import { means } from './means.js';
import { redrawAll } from './panel.js';
import { searches } from './searches.js';
import { services } from './services.js';
import { studied } from './replication.js';
import { sweeps } from './sweeps.js';
import { watchTheme } from './theme.js';

const charts = { studied, means, frontier, searches, sweeps, services, causes, flames, cost: forest, steps: ladder, latency, blocks, ledger };
const legends = [];

for (const [id, chart] of Object.entries(charts)) {
  const section = document.getElementById(id);
  if (!section) continue;
  section.hidden = false; // a hidden place has no width to draw in
  const inner = section.querySelector('.charted');
  if (inner) inner.hidden = false;
  try {
    const drawLegend = chart(section);
    if (drawLegend) legends.push(drawLegend);
  } catch (error) {
    console.error(`drawing ${id}:`, error);
    if (!inner) section.hidden = true;
  }
}

watchTheme(() => {
  legends.forEach((draw) => draw());
  redrawAll();
});
