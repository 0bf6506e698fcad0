// Functions that format names, times and counts.

function nameOf(label) { return plain(label ?? "") || "object"; }

function clockText(time) { return new Date(time).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23"}); }
// If the time is not today, the date precedes the time of day.
function momentText(time) {
  const moment = new Date(time), isToday = moment.toDateString() === new Date(server.now()).toDateString();
  return (isToday ? "" : moment.toLocaleDateString([], {month: "short", day: "numeric"}) + ", ") + clockText(time);
}
// Numbers and units are separated by no-break spaces.
function lengthText(seconds) {
  seconds = Math.max(0, seconds);
  if (seconds < 10) return Number(seconds.toFixed(1)) + "\u00a0s";
  if (seconds < 120) return Math.floor(seconds) + "\u00a0s";
  if (seconds < 7200) return Math.floor(seconds / 60) + "\u00a0min";
  if (seconds < 172800) return Math.floor(seconds / 3600) + "\u00a0h";
  return Math.floor(seconds / 86400) + "\u00a0days";
}
function countText(count, one, many = one + "s") { return count.toLocaleString("en") + "\u00a0" + (count === 1 ? one : many); }
// Sets the text of an element only if it differs, so that screen readers and text selections are not disturbed.
function say(node, text) { if (node.textContent !== text) node.textContent = text; }
