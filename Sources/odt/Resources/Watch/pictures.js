// Shows the live video of one camera, or snapshots of all cameras every 2 s.

const pictures = {name: null, isOn: false};

function address(kind, name, ending) { return `/${kind}/${encodeURIComponent(name)}.${ending}?${Date.now()}`; }

// Starts or stops the live video of a camera. While the page is hidden, no video is requested.
function play(name) {
  const isOn = Boolean(name) && !document.hidden && server.isThere;
  if (pictures.name === name && pictures.isOn === isOn) return;
  [pictures.name, pictures.isOn] = [name, isOn];
  if (isOn) $("live").src = address("live", name, "mjpg");
  // If the connection is lost, the last picture of the same camera stays visible.
  else if (!name || document.hidden) $("live").removeAttribute("src");
  else $("live").dataset.name === name || $("live").removeAttribute("src");
  $("live").dataset.name = name ?? "";
}
$("live").onerror = () => { if (pictures.isOn) setTimeout(() => { pictures.isOn = false; }, 2000); };
// Adapts the picture's frame to the aspect ratio of the video.
$("live").onload = () => {
  const {naturalWidth: width, naturalHeight: height} = $("live");
  if (width && height) $("stage").style.aspectRatio = `${width} / ${height}`;
};

async function takeSnapshot(camera, photo) {
  if (photo.isBusy || document.hidden || camera.state !== "connected") return;
  photo.isBusy = true;
  try {
    const answer = await fetch(address("snapshot", camera.name, "jpg"), {signal: AbortSignal.timeout(8000)});
    if (answer.ok) {
      const image = photo.querySelector("img"), old = image.src;
      image.src = URL.createObjectURL(await answer.blob());
      if (old) URL.revokeObjectURL(old);
    }
  } catch { /* The next attempt follows in 2 s. */ }
  setTimeout(() => { photo.isBusy = false; }, 2000);
}

// Returns the reason why there is no current picture; empty if there is a current picture.
function absence(camera, isShort = false) {
  if (camera.state === "waiting") return "waiting for the first frame";
  if (camera.state === "connected") return "";
  const word = camera.state === "lost" ? "lost" : "ended";
  return `${word} since ${momentText(camera.since)}` + (camera.reason && !isShort ? `: ${plain(camera.reason)}` : "");
}
