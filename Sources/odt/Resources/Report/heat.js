// Draws the heat map: the total time that objects spent at each place, over a frame of the video.

const HEAT = [[0, [43, 47, 54, 0]], [0.1, [75, 42, 155, 60]], [0.4, [192, 58, 118, 125]], [0.7, [245, 134, 52, 165]], [1, [255, 243, 160, 205]]];
function heatColour(value) {
  const next = Math.max(1, HEAT.findIndex(([place]) => place >= value));
  const [[low, from], [high, to]] = [HEAT[next - 1], HEAT[next]], part = (value - low) / (high - low);
  return from.map((channel, place) => channel + (to[place] - channel) * part);
}

painters.push(() => {
  if (!DATA.heat.length) return;
  const maps = DATA.heat.filter(({label}) => label >= 0 ? shownLabels.has(label) : shownLabels.size > 0);
  const key = maps.map(({label}) => label).join();
  if ($("heat").key === key) return;
  $("heat").key = key;
  const columns = DATA.columns, rows = DATA.heat[0].rows, sum = new Float64Array(columns * rows);
  for (const {cells} of maps) cells.forEach((seconds, place) => { sum[place] += seconds; });
  // The colour scale ends at a high quantile, because with a few extreme cells all other cells would be dark.
  const sorted = Float64Array.from(sum).sort(), most = Math.max(sorted[Math.floor(sorted.length * 0.995)], sorted.at(-1) / 4, 1e-9);
  const small = make("canvas", {width: columns, height: rows}), pixels = small.getContext("2d").createImageData(columns, rows);
  sum.forEach((seconds, place) => pixels.data.set(heatColour(Math.sqrt(Math.min(seconds / most, 1))), 4 * place));
  small.getContext("2d").putImageData(pixels, 0, 0);
  const canvas = $("heat"), context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  $("scale").replaceChildren("0 s", make("i"), sorted.at(-1) > most * 1.001 ? lengthText(most) + " and more" : lengthText(most));
  $("heat-note").textContent = "total time of all objects at each place" + (shownLabels.size < BY_LABEL.length ? " (of the labels selected above)" : "");
});

function showHeat() {
  if (!DATA.heat.length) return void ($("places").hidden = true);
  const width = 960, height = Math.round(width * (DATA.width ? DATA.height / DATA.width : DATA.heat[0].rows / DATA.columns));
  [$("heat").width, $("heat").height] = [width, height];
  const frame = photo(pictureTexts().frame);
  if (frame) [$("frame").src, $("frame").hidden] = [frame, false];
  $("shapes").setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const {name, kind, points} of DATA.shapes) {
    const text = points.map(([x, y]) => `${x * width},${y * height}`).join(" ");
    $("shapes").append(draw(kind === "line" ? "polyline" : "polygon", {points: text, class: kind === "ignore" ? "ignored" : null}),
      draw("text", {x: points[0][0] * width + 6, y: Math.max(points[0][1] * height - 6, 16)}, plain(name)));
  }
}
