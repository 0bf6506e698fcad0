// Lists the clips with the objects and the events that they show. A clip is loaded when it is played.

const CLIPS_AT_ONCE = 24, MOST_NAMES = 8;
let clipCount = CLIPS_AT_ONCE;

function clipPlayer(clip) {
  if (clip.isH265 && !PLAYS_H265) {
    return make("p", {class: "unplayable"}, ...(clip.picture ? [make("img", {src: clip.picture, alt: "picture of the clip"})] : []), NO_H265 + " ",
      make("a", {href: clip.video, download: ""}, "download"));
  }
  const video = make("video", {src: clip.video, poster: clip.picture, controls: "", playsinline: "", preload: "none", "aria-label": `clip ${spanText(clip.from, clip.to)}`});
  video.onerror = () => video.replaceWith(make("p", {class: "unplayable"}, "The clip was not found, or this browser cannot play it. Keep the page next to its clips."));
  return video;
}

// Returns a description of each zone event of these tracks during the clip.
function eventsIn(clip, tracks) {
  const byId = new Map(tracks.map(track => [track.id, track])), verbs = {enter: "entered", leave: "left", dwell: "dwells in", in: "crossed", out: "crossed"};
  const happened = ([time, , id, , , recording]) => recording === clip.recording && clip.from <= time && time <= clip.to && byId.has(id);
  return DATA.zones.filter(zone => zone.source === clip.source).flatMap(zone => zone.events.filter(happened).map(([time, kind, id]) =>
    ({time, text: `${idOf(byId.get(id))} ${verbs[kind]} ${plain(zone.name)}${kind === "in" || kind === "out" ? `, ${kind}` : ""}`})))
    .sort((one, other) => one.time - other.time).map(event => event.text);
}

function clipItem(clip) {
  const tracks = tracksIn(clip), names = tracks.slice(0, MOST_NAMES).map(track => {
    const button = make("button", {type: "button", title: "show in the timeline"}, `${idOf(track)} ${nameOf(track)}`);
    button.onclick = () => goTo(track);
    return button;
  });
  const events = eventsIn(clip, tracks), more = Math.max(0, tracks.length - MOST_NAMES);
  const source = DATA.sources.length > 1 ? ` · ${plain(DATA.sources[clip.source])}` : "";
  return make("li", {}, clipPlayer(clip),
    make("span", {class: "times"}, make("a", {href: clip.video}, spanText(clip.from, clip.to)), source),
    make("span", {class: "names"}, ...names, ...(more ? [`and ${more} more`] : [])),
    ...(events.length ? [make("span", {class: "times"}, events.slice(0, MOST_NAMES).join(" · "))] : []));
}

let clipsListed = null;
function showClips() {
  clipsListed = [...shownLabels].join() + isClocked;
  const clips = CLIPS.filter(clip => { const tracks = tracksIn(clip); return !tracks.length || tracks.some(isShown); });
  $("clips").replaceChildren(...clips.slice(0, clipCount).map(clipItem));
  const rest = Math.min(CLIPS_AT_ONCE, clips.length - clipCount);
  $("more-clips").hidden = rest <= 0;
  $("more-clips").textContent = `show ${rest} more`;
}

if (CLIPS.length) {
  $("recorded").hidden = false;
  painters.push(() => { if (clipsListed !== [...shownLabels].join() + isClocked) showClips(); });
  $("more-clips").onclick = () => { clipCount += CLIPS_AT_ONCE; showClips(); };
}
