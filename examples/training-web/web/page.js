import init, { Training, spirals } from "./training_web.js";
import { drawCurve } from "./curve.js";
import { cells, drawMap } from "./map.js";

const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);
const say = (text) => (element("state").textContent = text);

await init().catch((error) => {
  throw new Error(`The program could not be loaded: ${error.message}. Reload the page to try again.`);
});
const points = spirals(100);
const SEED = 1;
let training = new Training(SEED);
// The loss before each step.
let losses = [];

async function step() {
  losses.push(await training.step(Number(element("rate").value)));
}

async function draw() {
  drawCurve(element("curve"), losses);
  drawMap(element("map"), await training.probabilities(cells), points);
  const found = await training.probabilities(points);
  const right = found.filter((probability, point) => probability > 0.5 === point >= found.length / 2).length;
  const loss = losses.at(-1)?.toFixed(4) ?? "-";
  element("numbers").textContent = `step ${losses.length}, loss ${loss}, ${right} of ${found.length} points are classified correctly`;
}

// What uses the network, one job after the other: it can be borrowed only once at a time.
let jobs = Promise.resolve();
const enqueue = (job) => (jobs = jobs.then(job));

// Training runs for most of the time between two frames, so that the page draws and can be used meanwhile. It rests while the page is
// not visible.
const SLICE = 12;
const frame = () => new Promise(requestAnimationFrame);
let isRunning = false;
// The number of clicks so far: each ends the training that an earlier one began.
let clicks = 0;
async function train(click) {
  say("Training.");
  while (click === clicks) {
    const end = performance.now() + SLICE;
    do await step();
    while (performance.now() < end);
    await draw();
    await frame();
  }
}

function clicked(isOn) {
  isRunning = isOn;
  element("run").textContent = isOn ? "Pause" : "Train";
  return ++clicks;
}

element("run").addEventListener("click", () => {
  const click = clicked(!isRunning);
  const last = () => (losses.length > 0 ? `, with a loss of ${losses.at(-1).toFixed(4)}` : "");
  if (isRunning) enqueue(() => train(click));
  else enqueue(() => say(`Paused after ${losses.length} steps${last()}.`));
});

element("restart").addEventListener("click", () => {
  clicked(false);
  enqueue(async () => {
    training.free();
    training = new Training(SEED);
    losses = [];
    await draw();
    say("The network has its first weights again.");
  });
});

await draw();
say("");
element("run").disabled = element("restart").disabled = false;

// `?steps=N` trains without a hand, and reports the losses.
if (query.has("steps")) {
  while (losses.length < Number(query.get("steps"))) await step();
  await draw();
  await fetch("report", { method: "POST", body: JSON.stringify({ losses, numbers: element("numbers").textContent }) });
}
