// Draws the number of objects over time as stacked areas, one area per label colour.

const COUNTS_HEIGHT = 150;

// Returns the layers of the chart, one per colour. A layer has the mean number of objects for each column of pixels.
function columnsOfCounts(scale) {
  const width = Math.max(1, Math.round(scale.right - scale.left)), perColumn = (view.to - view.from) / width, layers = new Map();
  const layer = label => {
    const colour = colourOf[label] ?? REST;
    if (!layers.has(colour)) layers.set(colour, {sum: new Float64Array(width + 1), step: new Float64Array(width + 2)});
    return layers.get(colour);
  };
  const add = (label, from, to, weight) => {
    const start = (Math.max(from, view.from) - view.from) / perColumn, end = (Math.min(to, view.to) - view.from) / perColumn;
    if (!(end > start)) return;
    const {sum, step} = layer(label), first = Math.floor(start), last = Math.min(Math.floor(end), width);
    if (first === last) { sum[first] += (end - start) * weight; return; }
    sum[first] += (first + 1 - start) * weight;
    sum[last] += (end - last) * weight;
    step[first + 1] += weight;
    step[last] -= weight;
  };
  for (const track of TRACKS) if (isShown(track)) for (const [from, to] of track.visits) add(track.label, from, to, 1);
  for (const [label, values] of DATA.untracked.series) {
    if (label >= 0 ? !shownLabels.has(label) : shownLabels.size === 0) continue;
    values.forEach((value, place) => { if (value) add(label, place * DATA.untracked.step, (place + 1) * DATA.untracked.step, value); });
  }
  return [...layers].sort((one, other) => one[0] - other[0]).map(([colour, {sum, step}]) => {
    const values = new Float64Array(width);
    for (let x = 0, now = 0; x < width; x++) { now += step[x]; values[x] = now + sum[x]; }
    return {colour, values};
  });
}

function niceCeiling(value) {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 4, 6, 8, 10].map(step => step * size).find(step => step >= value * 0.999) ?? 1;
}

painters.push(() => {
  const svg = $("counts"), width = svg.parentElement.clientWidth, scale = scaleOf(width), layers = columnsOfCounts(scale);
  const floor = new Float64Array(layers[0]?.values.length ?? 0), top = 8, bottom = COUNTS_HEIGHT - 22;
  let highest = 0;
  for (let x = 0; x < floor.length; x++) highest = Math.max(highest, layers.reduce((sum, {values}) => sum + values[x], 0));
  const most = niceCeiling(highest), y = value => bottom - value / most * (bottom - top);
  const nodes = [];
  for (const part of most < 2 ? [0, 1] : [0, 0.5, 1]) {
    nodes.push(draw("path", {class: "grid", d: `M${scale.left} ${Math.round(y(part * most))}H${scale.right}`}));
    nodes.push(draw("text", {x: scale.left - 6, y: y(part * most) + 4, "text-anchor": "end"}, String(part * most)));
  }
  if (scale.left > 60) nodes.push(draw("text", {class: "name", x: 0, y: top + 12}, "objects"), draw("text", {x: 0, y: top + 28}, "at once"));
  for (const {colour, values} of layers) {
    let upper = "", lower = "";
    for (let x = 0; x < values.length; x++) {
      const from = scale.left + x;
      lower = `H${from}V${y(floor[x]).toFixed(1)}` + lower;
      floor[x] += values[x];
      upper += `V${y(floor[x]).toFixed(1)}H${from + 1}`;
    }
    nodes.push(draw("path", {d: `M${scale.left} ${y(0)}${upper}V${y(0)}${lower}Z`, style: `fill: var(--c${colour})`}));
  }
  const {list, decimals} = ticks(scale);
  for (const time of list) {
    nodes.push(draw("path", {class: "grid", d: `M${Math.round(scale.x(time))} ${bottom}v4`}));
    const half = isClocked && HAS_DAYS ? 60 : 24;
    const anchor = scale.x(time) < scale.left + 14 ? "start" : scale.x(time) > scale.right - half ? "end" : "middle";
    nodes.push(draw("text", {x: scale.x(time), y: bottom + 16, "text-anchor": anchor}, clockText(time, decimals)));
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${COUNTS_HEIGHT}`);
  svg.replaceChildren(...nodes);
  $("range").textContent = spanText(view.from, view.to);
});
