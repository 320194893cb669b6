const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);
const say = (text) => (element("time").textContent = text);

// Fetches a file of the page; an answer that is not the file is an error that names it.
async function load(name) {
  let reason;
  try {
    const response = await fetch(name);
    if (response.ok) return response;
    reason = `the server answers ${response.status} ${response.statusText}`.trim();
  } catch {
    reason = "the server does not answer";
  }
  throw new Error(`${name} could not be loaded: ${reason}.`);
}
const bytes = async (name) => new Uint8Array(await (await load(name)).arrayBuffer());

// Calls a function of the worker, which computes while the page goes on.
const worker = new Worker(`worker.js${location.search}`, { type: "module" });
const calls = new Map();
let called = 0;
function call(name, ...rest) {
  return new Promise((resolve, reject) => {
    calls.set(++called, { resolve, reject });
    worker.postMessage([called, name, ...rest]);
  });
}
worker.addEventListener("message", ({ data: { number, value, error } }) => {
  const { resolve, reject } = calls.get(number);
  calls.delete(number);
  if (!error) return resolve(value);
  const kind = error.isPanic ? WebAssembly.RuntimeError : Error;
  reject(Object.assign(new kind(error.message), { stack: error.stack }));
});
worker.addEventListener("error", (event) => {
  tell(new Error(`The program of the page could not be loaded: ${event.message ?? "worker.js"}. Reload the page to try again.`));
});

const names = await (await load("classes.json")).json();
element("backend").append(...(await call("backends")).map((name) => new Option(name)));
say("");

// Networks by their backends: each is loaded when it is first asked for, and again after a failure.
const networks = new Map();
function network(backend) {
  if (!networks.has(backend)) {
    const loading = bytes("weights.bin").then((weights) => call("load", backend, weights));
    loading.catch(() => networks.delete(backend));
    networks.set(backend, loading);
  }
  return networks.get(backend);
}

const canvas = element("picture");
canvas.width = canvas.height = Number(query.get("side") ?? canvas.width);
const context = canvas.getContext("2d", { willReadFrequently: true });
context.imageSmoothingQuality = "high";

// Shows a picture as the network was trained: the shorter side is resized to 256 pixels, and the middle of 224 x 224 is cut out.
// What is transparent is white.
const RESIZED = 256 / 224;
async function show(url, name) {
  const picture = new Image();
  picture.src = url;
  await picture.decode().catch(() => {
    throw new Error(`${name} is not a picture that this browser can show.`);
  });
  const scale = (RESIZED * canvas.width) / Math.min(picture.naturalWidth, picture.naturalHeight);
  const [width, height] = [scale * picture.naturalWidth, scale * picture.naturalHeight];
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
}

// Only the result of the newest call is shown.
let newest = 0;
async function classify(backend) {
  const number = ++newest;
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint8Array(data.buffer);
  element("classes").replaceChildren();
  element("busy").hidden = false;
  say(`${backend}: computing ...`);
  const loading = performance.now();
  let start;
  let probabilities;
  try {
    await network(backend);
    start = performance.now();
    probabilities = await call("inference", backend, pixels);
  } finally {
    if (number === newest) element("busy").hidden = true;
  }
  const end = performance.now();
  const best = Array.from(probabilities.keys()).sort((a, b) => probabilities[b] - probabilities[a]).slice(0, 5);
  if (number === newest) {
    say(`${backend}: ${(end - start).toFixed(0)} ms, and ${(start - loading).toFixed(0)} ms to load the network`);
    element("classes").replaceChildren(...best.map((index) => row(names[index] ?? `class ${index}`, probabilities[index])));
  }
  return { class: best[0], probabilities: Array.from(probabilities), load: start - loading, inference: end - start };
}

function row(name, probability) {
  const row = document.createElement("div");
  const label = row.appendChild(document.createElement("label"));
  label.appendChild(document.createElement("meter")).value = probability;
  label.append(` ${(100 * probability).toFixed(1)} % ${name}`);
  return row;
}

let shown = false;
const again = () => shown && classify(element("backend").value);
element("backend").addEventListener("change", again);
async function look(url, name) {
  await show(url, name);
  shown = true;
  await again();
}
for (const button of document.querySelectorAll("[data-picture]")) {
  button.addEventListener("click", () => look(button.dataset.picture, button.dataset.picture));
}
async function lookAt(file) {
  if (!file) return; // The choice was cancelled, or what was dropped or pasted is no file.
  const url = URL.createObjectURL(file);
  try {
    await look(url, file.name);
  } finally {
    URL.revokeObjectURL(url);
  }
}
for (const id of ["file", "camera"]) {
  element(id).addEventListener("change", (event) => lookAt(event.target.files[0]));
}
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  return lookAt(event.dataTransfer.files[0]);
});
addEventListener("paste", (event) => lookAt(event.clipboardData.files[0]));

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
  const threads = await call("threads");
  await fetch("report", { method: "POST", body: JSON.stringify({ ...report, times, threads }) });
}
