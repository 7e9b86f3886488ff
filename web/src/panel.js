// Panels: a place on the page for one chart, drawn again when its width, its
// controls or the colours change.

import { init } from './echarts.js';
import { held } from './format.js';
import { colour } from './theme.js';

const panels = new Set();

const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) target.panel?.resized();
});

class Panel {
  constructor(place, title, description, draw) {
    const figure = document.createElement('figure');
    if (title) {
      const caption = document.createElement('figcaption');
      caption.textContent = caption.title = title;
      caption.dir = 'auto';
      figure.append(caption);
    }
    this.element = document.createElement('div');
    this.element.className = 'chart';
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', `${description}${title ? `: ${title}` : ''}. The figures are in the tables of this page.`);
    this.element.panel = this;
    figure.append(this.element, this.saver(title || description));
    place.append(figure);
    this.draw = draw;
    this.redraw();
    watcher.observe(this.element);
    panels.add(this);
  }

  redraw() {
    this.width = this.element.clientWidth;
    if (this.width === 0) return;
    const { option, height, click } = this.draw(this.width);
    this.element.style.height = `${height}px`;
    if (!this.chart) {
      this.chart = init(this.element, null, { renderer: 'svg' });
      this.chart.on('click', (event) => setTimeout(() => this.click?.(event))); // what was clicked may be gone then, and the library is still at it
    }
    this.click = click;
    this.chart.resize({ width: this.width, height });
    this.chart.setOption({ ...common(), ...option }, { notMerge: true });
    // How many marks the library holds beside names, for whoever checks the page.
    this.element.dataset.marks = this.chart.getModel().getSeries().reduce((n, s) => n + (s.id === 'names' ? 0 : s.getData().count()), 0);
  }

  // saver is the button that downloads the chart as it is drawn now.
  saver(name) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'save';
    button.textContent = 'SVG';
    button.setAttribute('aria-label', `Download as SVG: ${name}`);
    button.addEventListener('click', () => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([this.svg()], { type: 'image/svg+xml' }));
      link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 80) || 'chart'}.svg`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
    return button;
  }

  svg() {
    const drawn = this.element.querySelector('svg').cloneNode(true);
    drawn.setAttribute('viewBox', `0 0 ${drawn.getAttribute('width')} ${drawn.getAttribute('height')}`);
    return new XMLSerializer().serializeToString(drawn);
  }

  resized() {
    if (this.element.clientWidth !== this.width) this.redraw();
  }

  close() {
    watcher.unobserve(this.element);
    this.chart?.dispose();
    panels.delete(this);
  }
}

const common = () => ({ animation: false, textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: colour('ink') } });

// show fills a place with panels, and returns them: [{title, draw}, …], draw(width) → {option, height, click}.
export function show(place, description, list) {
  for (const panel of [...panels]) if (place.contains(panel.element)) panel.close();
  place.replaceChildren();
  return list.map(({ title, draw }) => new Panel(place, title, description, draw));
}

export const redrawAll = () => panels.forEach((p) => p.redraw());

// tooltip is ECharts' with a formatter that returns lines of plain text: they
// become elements by textContent, so that no name is taken for markup.
export const tooltip = (lines) => ({
  trigger: 'item', confine: true, borderWidth: 1, borderColor: colour('line'), backgroundColor: colour('raised'), padding: [6, 10],
  textStyle: { color: colour('ink') }, extraCssText: 'box-shadow: 0 2px 10px rgba(0,0,0,.15)',
  formatter: (params) => {
    const box = document.createElement('div');
    box.className = 'tip';
    lines(params).forEach((text, i) => {
      const line = document.createElement(i === 0 ? 'b' : 'div');
      line.textContent = held(text);
      line.dir = 'auto';
      box.append(line);
    });
    return box;
  },
});

// figureAxis is a value axis in the page's style.
export const figureAxis = (more) => ({
  type: 'value', splitNumber: 4,
  axisLine: { show: false }, axisTick: { show: false },
  splitLine: { lineStyle: { color: colour('grid') } },
  ...more,
  axisLabel: { color: colour('soft'), fontSize: 12, hideOverlap: true, ...more?.axisLabel },
});
