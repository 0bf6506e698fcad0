// The data of the report, and functions that format it.

const DATA = JSON.parse($("data").textContent);

const TRACKS = DATA.tracks.map(([id, label, category, first, last, best, score, path, source, reason, recording, classifierLabel, visits = [[first, last]]], place) =>
  ({place, id, label, category, first, last, best, score, path, source, reason, recording, classifierLabel, visits, length: visits.reduce((sum, [from, to]) => sum + to - from, 0)}));

const HAS_EVENTS = DATA.zones.some(zone => zone.eventCount);

const CLIPS = DATA.clips.map(([source, recording, from, to, video, picture, isH265]) => ({source, recording, from, to, video, picture, isH265}));
function isIn(track, clip) {
  return clip.source === track.source && clip.recording === track.recording
    && track.visits.some(([first, last]) => clip.from <= last && first <= clip.to);
}
function tracksIn(clip) { return TRACKS.filter(track => isIn(track, clip)); }
function clipOf(track) { return CLIPS.find(clip => isIn(track, clip)); }

// The sources with several recordings. Track ids start again at 1 in each connection to a camera, and in each recording
// within a file. For these sources, the number of the recording precedes the id.
const SEVERAL = new Set(TRACKS.filter(track => track.recording > 0).map(track => track.source));
function idOf(track) { return "#" + (SEVERAL.has(track.source) ? track.recording + 1 + "." : "") + track.id; }

// The pictures can be larger than all other data, so they are parsed only when a picture is needed.
let pictures = null;
function photo(text) { return text ? "data:image/jpeg;base64," + text : null; }
function pictureTexts() { return pictures ??= JSON.parse($("pictures").textContent); }
function pictureOf(track) { return photo(pictureTexts().tracks[track.place]); }

// With several sources, the names of zones and objects begin with the name of their source.
function prefixOf({source}) { return DATA.sources.length > 1 && DATA.sources[source] ? plain(DATA.sources[source]) + ": " : ""; }
function zoneNameOf(zone) { return prefixOf(zone) + plain(zone.name); }
function titleOf(track) { return `${prefixOf(track)}${idOf(track)} ${nameOf(track)}`; }

const NAMES = DATA.labels.map(name => plain(name) || "object");
function nameOf(track) { return NAMES[track.label]; }

const WHOLE = (() => {
  let [from, to] = [0, DATA.length];
  for (const track of TRACKS) { from = Math.min(from, track.first); to = Math.max(to, track.last); }
  return {from, to: Math.max(to, from + 0.5)};
})();

let isClocked = false;
function momentOf(time) { return new Date(DATA.utc + time * 1000); }
const HAS_DAYS = DATA.utc !== undefined && dayOf(momentOf(WHOLE.from)) !== dayOf(momentOf(WHOLE.to));
// The time of day follows the date if the report covers several days.
function clockText(time, decimals, hasDay = HAS_DAYS) {
  if (!isClocked) return timeText(time, decimals);
  const moment = momentOf(time), text = (hasDay ? dayOf(moment) + " " : "") + clockOf(moment);
  return decimals ? text + "." + Math.floor(moment.getMilliseconds() / 100) : text;
}
// These functions format local dates and times in ISO 8601 order, independent of the browser's language.
function twoDigits(number) { return String(number).padStart(2, "0"); }
function clockOf(moment) { return [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(twoDigits).join(":"); }
function dayOf(moment) { return [moment.getFullYear(), ...[moment.getMonth() + 1, moment.getDate()].map(twoDigits)].join("-"); }
function offsetOf(moment) {
  const minutes = -moment.getTimezoneOffset(), size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}
function spanText(from, to, hasDay = true) {
  const isOneDay = isClocked && dayOf(momentOf(from)) === dayOf(momentOf(to));
  return clockText(from, 1, hasDay) + " – " + clockText(to, 1, hasDay && !isOneDay);
}
function timeText(time, decimals = 0) {
  const scale = 10 ** decimals, all = Math.round(Math.abs(time) * scale);
  const seconds = all / scale % 60, minutes = Math.floor(all / scale / 60);
  const tail = seconds.toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
  const head = minutes < 60 && WHOLE.to < 3600 ? minutes : Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0");
  return (time < 0 && all ? "−" : "") + head + ":" + tail;
}
// Numbers and units are separated by no-break spaces.
function lengthText(seconds) {
  if (seconds < 10) return seconds.toFixed(1) + "\u00a0s";
  if (seconds < 120) return Math.round(seconds) + "\u00a0s";
  if (seconds < 7200) return Math.floor(seconds / 60) + "\u00a0min" + (seconds < 600 ? `\u00a0${Math.floor(seconds % 60)}\u00a0s` : "");
  return (seconds / 3600).toFixed(1) + "\u00a0h";
}
function countText(count, one, many = one + "s") { return count.toLocaleString("en") + " " + (count === 1 ? one : many); }
