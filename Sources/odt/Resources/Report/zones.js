// Shows the zone and line events: a table, and one strip per zone below the timeline.

// Objects that are only in zone events can have a label without check box.
function isSelected(label) { return shownLabels.has(label) || !BY_LABEL.some(row => row.label === label); }

// Returns the totals over several labels: label (-1), entered, left, in, out, total dwell time, longest dwell time.
function total(byLabel) {
  return byLabel.reduce((sum, row) => [-1, ...[1, 2, 3, 4, 5].map(place => sum[place] + row[place]), Math.max(sum[6], row[6])], [-1, 0, 0, 0, 0, 0, 0]);
}

painters.push(() => {
  const selection = [...shownLabels].join();
  if (!DATA.zones.length || $("zones").selection === selection) return;
  $("zones").selection = selection;
  $("zones").replaceChildren();
  $("passages").hidden = false;
  const head = $("zones").createTHead().insertRow();
  for (const name of ["name", "entered", "left", "mean dwell time", "longest", "in", "out"]) head.append(make("th", {scope: "col"}, name));
  head.append(make("th", {class: "wide", scope: "col"}, "by label"));
  const body = $("zones").createTBody();
  for (const zone of DATA.zones) {
    const rows = zone.byLabel.filter(([label]) => isSelected(label)), line = body.insertRow();
    const [, entered, left, inward, outward, stayed, longest] = total(rows);
    const figures = zone.isLine
      ? ["", "", "", "", inward, outward]
      : [entered, left, longest ? lengthText(stayed / Math.max(1, left)) : "", longest ? lengthText(longest) : "", "", ""];
    line.append(make("th", {scope: "row", style: "color: var(--ink); white-space: normal"}, zoneNameOf(zone)));
    for (const figure of figures) line.append(make("td", {}, figure.toLocaleString("en")));
    const by = rows.sort((one, other) => other[1] + other[3] + other[4] - one[1] - one[3] - one[4]).map(([label, entered, , inward, outward]) =>
      `${NAMES[label]} ${zone.isLine ? `${inward} in, ${outward} out` : entered}`);
    line.append(make("td", {class: "wide"}, by.join("; ")));
  }
});

painters.push(() => {
  const svg = $("strips"), zones = DATA.zones.filter(zone => zone.events.length);
  if (!zones.length) return void (svg.style.display = "none");
  const width = svg.parentElement.clientWidth, scale = scaleOf(width), isNarrow = scale.left < 60, nodes = [];
  let top = 8;
  for (const zone of zones) {
    if (isNarrow) top += 16;
    const events = zone.events.filter(([, , , label]) => isSelected(label));
    nodes.push(draw("text", {class: "name", x: 0, y: isNarrow ? top - 6 : top + 16}, shortened(zoneNameOf(zone), isNarrow ? 30 : 17)));
    nodes.push(zone.isLine ? crossings(events, scale, top) : occupancy(events, scale, top));
    nodes.push(draw("path", {class: "grid", d: `M${scale.left} ${top + (zone.isLine ? 13 : 26)}H${scale.right}`}));
    top += 34;
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${top}`);
  svg.replaceChildren(...nodes);
});

// Draws the crossings of a line as bars that are 4 pixels wide. Bars for inward crossings point up, bars for outward crossings point down.
function crossings(events, scale, top) {
  const wide = 4, ways = {in: new Map(), out: new Map()};
  let most = 1;
  for (const [time, kind] of events) {
    if (!(kind in ways) || time < view.from || time > view.to) continue;
    const place = Math.min(Math.floor((scale.x(time) - scale.left) / wide), Math.ceil((scale.right - scale.left) / wide) - 1);
    const count = (ways[kind].get(place) ?? 0) + 1;
    ways[kind].set(place, count);
    most = Math.max(most, count);
  }
  const bars = (way, sign) => [...way].map(([place, count]) =>
    `M${scale.left + place * wide} ${top + 13}v${(sign * (2 + 11 * count / most)).toFixed(1)}h${wide - 1}V${top + 13}Z`).join("");
  return draw("g", {}, draw("path", {class: "inward", d: bars(ways.in, -1)}), draw("path", {class: "outward", d: bars(ways.out, 1)}),
    draw("text", {x: scale.left - 6, y: top + 10, "text-anchor": "end"}, scale.left < 60 ? "in" : "in ▲"),
    draw("text", {x: scale.left - 6, y: top + 24, "text-anchor": "end"}, scale.left < 60 ? "out" : "out ▼"));
}

function occupancy(events, scale, top) {
  const steps = events.filter(([, kind]) => kind === "enter" || kind === "leave").sort((one, other) => one[0] - other[0]);
  // The objects that entered before the first event are known only when they leave.
  let now = 0, least = 0, most = 0;
  for (const [, kind] of steps) [least, most] = [Math.min(least, now += kind === "enter" ? 1 : -1), Math.max(most, now)];
  [now, most] = [-least, Math.max(1, most - least)];
  const y = count => (top + 26 - Math.max(0, count) / most * 22).toFixed(1);
  let d = `M${scale.left} ${y(0)}V${y(now)}`;
  for (const [time, kind] of steps) {
    const x = Math.min(Math.max(scale.x(time), scale.left), scale.right).toFixed(1);
    now += kind === "enter" ? 1 : -1;
    d += `H${x}V${y(now)}`;
  }
  return draw("g", {}, draw("path", {class: "within", d: d + `H${scale.right}V${y(0)}Z`}),
    draw("text", {x: scale.left - 6, y: top + 12, "text-anchor": "end"}, String(most)));
}
