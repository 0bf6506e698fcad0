// Moving pictures of one camera, or small ones of all that change every other second.

const pictures = {name: null, isOn: false};

function address(kind, name, ending) { return `/${kind}/${encodeURIComponent(name)}.${ending}?${Date.now()}`; }

// Nothing is asked for while nobody sees the page.
function play(name) {
  const isOn = Boolean(name) && !document.hidden && server.isThere;
  if (pictures.name === name && pictures.isOn === isOn) return;
  [pictures.name, pictures.isOn] = [name, isOn];
  if (isOn) $("live").src = address("live", name, "mjpg");
  // What was seen last stays, where it is the same camera.
  else if (!name || document.hidden) $("live").removeAttribute("src");
  else $("live").dataset.name === name || $("live").removeAttribute("src");
  $("live").dataset.name = name ?? "";
}
$("live").onerror = () => { if (pictures.isOn) setTimeout(() => { pictures.isOn = false; }, 2000); };
// The stage takes the picture's shape.
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
  } catch { /* The next one comes in two seconds. */ }
  setTimeout(() => { photo.isBusy = false; }, 2000);
}

// Why there is no picture; nothing where there is one.
function absence(camera, isShort = false) {
  if (camera.state === "waiting") return "waiting for its first picture";
  if (camera.state === "connected") return "";
  const word = camera.state === "lost" ? "lost" : "over";
  return `${word} since ${momentText(camera.since)}` + (camera.reason && !isShort ? `: ${plain(camera.reason)}` : "");
}
