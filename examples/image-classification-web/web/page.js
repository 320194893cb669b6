import init, { ImageClassifier, backends } from "./image_classification_web.js";

const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);
const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());

await init();
const names = await (await fetch("classes.json")).json();
element("backend").append(...backends().map((name) => new Option(name)));

// Networks by their backends: each is loaded when it is first asked for.
const networks = new Map();
async function network(backend) {
  if (!networks.has(backend)) networks.set(backend, ImageClassifier.load(await bytes("weights.bin"), backend));
  return networks.get(backend);
}

const canvas = element("picture");
canvas.width = canvas.height = Number(query.get("side") ?? canvas.width);
const context = canvas.getContext("2d", { willReadFrequently: true });

async function show(url) {
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
}

async function classify(backend) {
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint8Array(data.buffer);
  const loading = performance.now();
  const model = await network(backend);
  const start = performance.now();
  const probabilities = await model.inference(pixels);
  const end = performance.now();
  element("time").textContent =
    `${backend}: ${(end - start).toFixed(0)} ms, and ${(start - loading).toFixed(0)} ms to load the network`;
  const best = Array.from(probabilities.keys()).sort((a, b) => probabilities[b] - probabilities[a]).slice(0, 5);
  element("classes").replaceChildren(...best.map((index) => {
    const row = document.createElement("div");
    const meter = row.appendChild(document.createElement("meter"));
    meter.value = probabilities[index];
    row.append(` ${(100 * probabilities[index]).toFixed(1)} % ${names[index] ?? `class ${index}`}`);
    return row;
  }));
  return { class: best[0], probabilities: Array.from(probabilities), load: start - loading, inference: end - start };
}

let shown = false;
const again = () => shown && classify(element("backend").value);
element("backend").addEventListener("change", again);
async function look(url) {
  await show(url);
  shown = true;
  await again();
}
for (const button of document.querySelectorAll("[data-picture]")) {
  button.addEventListener("click", () => look(button.dataset.picture));
}
element("file").addEventListener("change", (event) => look(URL.createObjectURL(event.target.files[0])));

// `?pixels=FILE&backend=NAME&side=N&times=N` classifies without a hand, as often as is said, and reports the last result with all
// times. The file has what a canvas has: red, green, blue and opacity of each pixel.
if (query.has("pixels")) {
  const data = new Uint8ClampedArray((await bytes(query.get("pixels"))).buffer);
  context.putImageData(new ImageData(data, canvas.width), 0, 0);
  let report;
  const times = [];
  for (let time = 0; time < Number(query.get("times") ?? 1); time++) {
    report = await classify(query.get("backend"));
    times.push(report.inference);
  }
  await fetch("report", { method: "POST", body: JSON.stringify({ ...report, times }) });
}
