// The controls above charts: labelled lists to choose from.

// choice adds a list of [value, text] to a place and calls back with the value
// chosen, at first with the first. A single choice is not shown.
export function choice(place, label, options, chosen) {
  if (options.length > 1) {
    const select = document.createElement('select');
    for (const [value, text] of options) select.add(new Option(text, value));
    select.addEventListener('change', () => chosen(select.value));
    const wrap = document.createElement('label');
    wrap.append(label, select);
    place.append(wrap);
  }
  if (options.length > 0) chosen(options[0][0]);
}

// choices are a metric and, where there are levels, a level; chosen gets both.
export function choices(place, metrics, levels, chosen) {
  let level = levels[0];
  let metric;
  choice(place, 'Metric', metrics, (value) => {
    metric = value;
    chosen(metric, level);
  });
  if (metric !== undefined && levels.length > 1) {
    choice(place, 'Level', levels.map((text) => [text, text]), (value) => {
      level = value;
      chosen(metric, level);
    });
  }
}

// legend shows [text, draw] with a swatch each; draw returns SVG attributes.
export function legend(place, items) {
  place.replaceChildren(...items.map(([text, shape, attributes]) => {
    const item = document.createElement('span');
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    svg.setAttribute('width', '26');
    svg.setAttribute('height', '12');
    svg.setAttribute('aria-hidden', 'true');
    const mark = document.createElementNS(ns, shape);
    for (const [name, value] of Object.entries(attributes)) mark.setAttribute(name, value);
    svg.append(mark);
    const name = document.createElement('bdi');
    name.textContent = text;
    item.append(svg, name);
    return item;
  }));
}
