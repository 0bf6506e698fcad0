function showObjects(camera) {
  const things = [...camera.objects].sort((one, other) => one.since - other.since || one.id - other.id);
  say($("present"), things.length ? String(things.length) : "");
  $("nobody").hidden = things.length > 0;
  say($("nobody"), camera.state === "connected" ? "No objects." : "Unknown while the camera is not connected.");
  $("presence").hidden = !things.length;
  const rows = things.map(thing => make("tr", {class: thing.state === "coasting" ? "unseen" : null, title: thing.state === "coasting" ? "currently not detected; the position is predicted" : null},
    make("td", {}, thing.id ? "#" + thing.id : ""),
    make("td", {class: "name"}, nameOf(thing.label) + (thing.category ? ` (${plain(thing.category)})` : "")),
    make("td", {}, thing.score.toFixed(2)),
    make("td", {}, lengthText(Math.round((server.now() - thing.since) / 1000)))));
  $("objects").replaceChildren(...rows);
}

function stateText(camera) {
  if (camera.state !== "connected") return absence(camera);
  return `connected since ${momentText(camera.since)}` + (camera.width ? ` · ${camera.width}\u00a0×\u00a0${camera.height}` : "");
}
