// Shows the live video of one camera, or snapshots of all cameras every 2 s.

const pictures = {name: null, isOn: false, since: null, requests: 0};
// A browser opens six connections to a server. Snapshots use at most three of them, so that the others are free.
const REQUESTS = 3;

function isCrowded() { return Date.now() < server.crowdedUntil; }
function address(kind, name, ending) { return `/${kind}/${encodeURIComponent(name)}.${ending}?${Date.now()}`; }

// Starts or stops the live video of a camera. While the page is hidden, no video is requested. Each change of the camera's
// state requests the video again, because a proxy may have ended the response in the meantime.
function play(camera) {
  const name = camera?.name ?? null, isOn = Boolean(camera) && !document.hidden && server.isThere && !isCrowded();
  if (pictures.name === name && pictures.isOn === isOn && (!isOn || pictures.since === camera.since)) return;
  [pictures.name, pictures.isOn, pictures.since] = [name, isOn, camera?.since];
  // The browser shows the previous picture until it has received the next one, which could be of another camera.
  if ($("live").dataset.name !== (name ?? "")) $("live").removeAttribute("src");
  if (isOn) $("live").src = address("live", name, "mjpg");
  // If the connection is lost, the last picture of the same camera stays visible.
  else if (!name || document.hidden || isCrowded()) $("live").removeAttribute("src");
  $("live").dataset.name = name ?? "";
}
$("live").onerror = () => { if (pictures.isOn) setTimeout(() => { pictures.isOn = false; }, 2000); };
// Adapts the picture's frame to the aspect ratio of the video.
$("live").onload = () => {
  const {naturalWidth: width, naturalHeight: height} = $("live");
  if (width && height) $("stage").style.aspectRatio = `${width} / ${height}`;
};

async function takeSnapshot(camera, photo) {
  if (photo.isBusy || pictures.requests >= REQUESTS || document.hidden || camera.state !== "connected") return;
  [photo.isBusy, photo.begun] = [true, Date.now()];
  pictures.requests += 1;
  try {
    const answer = await fetch(address("snapshot", camera.name, "jpg"), {signal: AbortSignal.timeout(8000)});
    const picture = answer.ok && await answer.blob();
    // Another camera may have been selected in the meantime.
    if (picture && (photo !== $("stage") || pictures.name === camera.name && !pictures.isOn)) {
      const image = photo.querySelector("img"), old = image.src;
      image.src = URL.createObjectURL(picture);
      if (old) URL.revokeObjectURL(old);
    }
  } catch { /* The next attempt follows in 2 s. */ }
  pictures.requests -= 1;
  setTimeout(() => { photo.isBusy = false; }, 2000);
}

// Returns the reason why there is no current picture; empty if there is a current picture.
function absence(camera, isShort = false) {
  if (camera.state === "waiting") return "waiting for the first frame";
  if (camera.state === "connected") return "";
  const word = camera.state === "lost" ? "lost" : "ended";
  return `${word} since ${momentText(camera.since)}` + (camera.reason && !isShort ? `: ${plain(camera.reason)}` : "");
}
