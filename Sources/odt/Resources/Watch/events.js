function eventText(event) {
  const who = event.id ? `#${event.id} ${nameOf(event.label)}` : nameOf(event.label);
  switch (event.kind + " " + event.event) {
    case "camera connected": return "connected";
    case "camera lost": return "lost" + (event.reason ? `: ${plain(event.reason)}` : "");
    case "camera ended": return "ended" + (event.reason ? `: ${plain(event.reason)}` : "");
    case "alarm covered": return "the picture is black or covered";
    case "alarm frozen": return "the picture is frozen";
    case "alarm moved": return "the picture shows another scene";
    case "alarm quiet": return "no object for unusually long";
    case "alarm restored": return `no longer ${plain(event.reason)}`;
    case "track begin": return `${who} appeared`;
    case "track end": return `${who} ${event.reason === "left-frame" ? "left the frame" : "was lost"}` + stay(event.duration, "after");
    case "zone enter": return `${who} entered ${plain(event.zone)}`;
    case "zone leave": return `${who} left ${plain(event.zone)}` + stay(event.dwell, "after");
    case "zone dwell": return `${who} dwells in ${plain(event.zone)}` + stay(event.dwell, "for");
    case "zone cross": return `${who} crossed ${plain(event.zone)}, ${event.direction === "in" ? "in" : "out"}`;
    default: return `${who}: ${plain(event.event)}`;
  }
}
function problemText(camera) { return camera.problems.map(event => eventText({kind: "alarm", event})).join("; "); }
function stay(seconds, word) { return seconds === undefined ? "" : ` ${word} ${lengthText(seconds)}`; }

function clipLinks(event) {
  // The list begins with the newest clip. If several clips contain the event, the oldest one was recorded for it.
  const clip = server.clips.findLast(clip => clip.camera === event.camera && clip.from <= event.time && event.time <= clip.to);
  if (!clip) return [];
  const link = (file, text, more, query = "") => make("a", {href: `/clips/${[clip.camera, file].map(encodeURIComponent).join("/")}${query}`, ...more}, text);
  const [open, save] = [{target: "_blank"}, {download: "", title: NO_H265}];
  return [clip.isH265 && !PLAYS_H265 ? link(clip.video, "download clip (this browser cannot play H.265)", save) : link(clip.video, "clip", open, "?play=1"),
    ...(clip.picture ? [link(clip.picture, "picture", open)] : [])];
}

const log = {shown: null};

function showEvents(name) {
  // After midnight, the times of the previous day need their date.
  const state = [server.run, server.events[0]?.number, name, server.latestClip, new Date(server.now()).toDateString()].join();
  if (log.shown === state) return;
  log.shown = state;
  const isMany = server.cameras.length > 1 && !name;
  const events = name ? server.events.filter(event => event.camera === name) : newest(server.events, Math.ceil(EVENTS_KEPT / server.cameras.length));
  $("log").replaceChildren(...events.map(event => make("li", {}, make("time", {datetime: new Date(event.time).toISOString()}, momentText(event.time)),
    ...(isMany ? [make("span", {class: "camera-name"}, plain(event.camera))] : []),
    make("span", {class: event.event === "lost" || event.kind === "alarm" && event.event !== "restored" ? "weighty" : null}, eventText(event)), ...clipLinks(event))));
  $("quiet").hidden = events.length > 0;
  $("log").hidden = !events.length;
}
