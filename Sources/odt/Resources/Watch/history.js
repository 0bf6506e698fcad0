// Draws the charts of the last hour: the objects in the frame, the objects in each zone, and the crossings of each line.

const SHORTEST = 300;

const counts = {camera: null, data: null, at: 0, isBusy: false};

// The history is requested every 5 s. The current values are part of the camera's state, which is requested every second.
async function refreshCounts(camera) {
  const isNew = counts.camera !== camera.name;
  if (!isNew) showCounts(camera, counts.data);
  if (counts.isBusy || (!isNew && Date.now() - counts.at < 5000)) return;
  counts.isBusy = true;
  try {
    const data = await fetchJSON(`/api/counts/${encodeURIComponent(camera.name)}`);
    Object.assign(counts, {camera: camera.name, data, at: Date.now()});
    if (chosen()?.name === camera.name) showCounts(camera, data);
  } catch { /* refresh() reports a lost connection. */ }
  counts.isBusy = false;
}

function showCounts(camera, data) {
  // The counts of a camera without connection are unknown.
  const text = count => camera.state === "connected" && count !== undefined ? count.toLocaleString("en") : "–";
  // The counts restart with each connection.
  const since = camera.state === "connected" ? ` since ${momentText(camera.since)}` : "";
  const cards = [card("objects at once", text(camera.objects.length), "", data, {counts: data.objects})];
  for (const zone of data.zones) {
    const now = camera.zones.find(one => one.name === zone.name) ?? {};
    if (zone.kind === "line") {
      const words = make("span", {}, make("span", {class: "key inward"}), `${text(now.in)} in `, make("span", {class: "key outward"}), `${text(now.out)} out`);
      cards.push(card("across " + plain(zone.name), words, since, data, zone));
    } else {
      cards.push(card("in " + plain(zone.name), text(now.count), ` ${text(now.entered)}\u00a0${now.entered === 1 ? "has" : "have"} entered${since}`, data, zone));
    }
  }
  $("charts").replaceChildren(...cards);
  $("counts").hidden = false;
}

function card(title, figure, more, data, series) {
  const {picture, most, from} = series.in ? bars(data, series) : area(data, series.counts);
  const words = series.in ? `${title}: maximum ${most} within ${data.step} seconds` : `${title}: maximum ${most}`;
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `${words}, since ${clockText(from)}`);
  return make("div", {class: "chart"}, make("h3", {}, title), make("p", {}, figure, make("small", {}, more)), picture,
    make("div", {class: "times"}, make("span", {}, clockText(from).slice(0, 5)), make("span", {}, `max. ${most}`), make("span", {}, "now")));
}

// Returns the layout of a chart. The chart is aligned to the right and spans at least 5 minutes, so that a short
// history does not fill the whole width.
function frame(data, length) {
  const steps = Math.max(length, SHORTEST / data.step);
  return {steps, left: steps - length, from: data.end - steps * data.step * 1000};
}

function area(data, values) {
  const {steps, left, from} = frame(data, values.length), most = Math.max(0, ...values.filter(value => value !== null)), tall = Math.max(most, 1);
  let edge = "", fills = "", isOpen = false;
  const y = value => (30 - value / tall * 28).toFixed(2);
  values.forEach((value, place) => {
    const x = left + place;
    if (value === null) {
      if (isOpen) fills += `V30Z`;
      isOpen = false;
      return;
    }
    edge += isOpen ? `V${y(value)}H${x + 1}` : `M${x} ${y(value)}H${x + 1}`;
    fills += isOpen ? `V${y(value)}H${x + 1}` : `M${x} 30V${y(value)}H${x + 1}`;
    isOpen = true;
  });
  if (isOpen) fills += "V30Z";
  const picture = draw("svg", {viewBox: `0 0 ${steps} 31`, preserveAspectRatio: "none"},
    draw("path", {class: "area", d: fills}), draw("path", {class: "edge", d: edge}), draw("path", {class: "base", d: `M0 30H${steps}`}));
  return {picture, most, from};
}

function bars(data, series) {
  const {steps, left, from} = frame(data, series.in.length), most = Math.max(0, ...series.in, ...series.out), tall = Math.max(most, 1);
  let inward = "", outward = "";
  series.in.forEach((value, place) => {
    const x = left + place, up = value / tall * 14, down = (series.out[place] ?? 0) / tall * 14;
    if (up) inward += `M${x} 15.5h.85v${-up.toFixed(2)}h-.85Z`;
    if (down) outward += `M${x} 15.5h.85v${down.toFixed(2)}h-.85Z`;
  });
  const picture = draw("svg", {viewBox: `0 0 ${steps} 31`, preserveAspectRatio: "none"},
    draw("path", {class: "inward", d: inward}), draw("path", {class: "outward", d: outward}), draw("path", {class: "base", d: `M0 15.5H${steps}`}));
  return {picture, most, from};
}
