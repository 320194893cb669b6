import init, { Mnist, scale } from "./mnist_inference_web.js";

const query = new URLSearchParams(location.search);
const canvas = document.getElementById("drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const scaled = document.getElementById("scaled").getContext("2d");
const answer = document.getElementById("answer");
const meters = Array.from({ length: 10 }, (_, digit) => {
  const row = document.getElementById("probabilities").appendChild(document.createElement("div"));
  const label = row.appendChild(document.createElement("label"));
  label.append(`${digit} `);
  return label.appendChild(document.createElement("meter"));
});

await init().catch((error) => {
  throw new Error(`The network could not be loaded: ${error.message}. Reload the page to try again.`);
});
const model = new Mnist();
answer.textContent = "";
context.lineCap = context.lineJoin = "round";

const pen = document.getElementById("pen");
function setPen(width) {
  pen.value = width;
  document.getElementById("width").textContent = `${pen.value} px`;
}
pen.addEventListener("input", () => setPen(pen.value));
setPen(query.get("pen") ?? pen.value);

// What is drawn: strokes, each a list of points.
let strokes = [];
function begin(x, y) {
  strokes.push([]);
  moveTo(x, y);
}
function moveTo(x, y) {
  // A stroke goes on after the drawing was cleared.
  if (strokes.length === 0) strokes.push([]);
  const stroke = strokes.at(-1);
  stroke.push([x, y]);
  context.lineWidth = pen.value;
  trace(context, stroke.slice(-2));
}
function trace(context, points) {
  context.beginPath();
  context.moveTo(...points[0]);
  points.forEach((point) => context.lineTo(...point));
  context.stroke();
}

// The network has seen strokes of one width, a sixth of the digit: it gets the same strokes with that width, however thin the pen is.
const side = 2 * canvas.width;
const inked = Object.assign(document.createElement("canvas"), { width: side, height: side }).getContext("2d", { willReadFrequently: true });
inked.lineCap = inked.lineJoin = "round";
function ink() {
  const points = strokes.flat();
  const extent = (at) => Math.max(...points.map((point) => point[at])) - Math.min(...points.map((point) => point[at]));
  inked.clearRect(0, 0, side, side);
  if (points.length > 0) {
    inked.lineWidth = Math.max(1, Math.max(extent(0), extent(1)) / 6);
    // A stroke may leave the canvas by half of its width.
    const shifted = ([x, y]) => [x + canvas.width / 2, y + canvas.width / 2];
    strokes.forEach((stroke) => trace(inked, stroke.map(shifted)));
  }
  return scale(inked.getImageData(0, 0, side, side).data, side);
}

// Reads what is drawn, and shows it as the network sees it. Only the answer to the newest drawing is shown.
let newest = 0;
async function read() {
  const number = ++newest;
  const image = ink();
  const start = performance.now();
  const probabilities = await model.inference(image);
  const time = performance.now() - start;
  const digit = probabilities.indexOf(Math.max(...probabilities));
  if (number === newest) {
    const pixels = scaled.createImageData(8, 8);
    image.forEach((ink, at) => (pixels.data[4 * at + 3] = (255 * ink) / 16));
    scaled.putImageData(pixels, 0, 0);
    meters.forEach((meter, digit) => (meter.value = probabilities[digit]));
    answer.textContent = `${digit} (${(100 * probabilities[digit]).toFixed(1)} %, ${time.toFixed(1)} ms)`;
  }
  return { digit, image: Array.from(image), probabilities: Array.from(probabilities) };
}

function clear() {
  newest++;
  strokes = [];
  context.clearRect(0, 0, canvas.width, canvas.height);
  scaled.clearRect(0, 0, 8, 8);
  meters.forEach((meter) => (meter.value = 0));
  answer.textContent = "";
}

// A stroke begins on the canvas, with the left button, a finger or a pen, and may leave the canvas.
let pointer;
const position = (event) => {
  const { left, top } = canvas.getBoundingClientRect();
  return [event.clientX - left - canvas.clientLeft, event.clientY - top - canvas.clientTop];
};
canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || pointer !== undefined) return;
  pointer = event.pointerId;
  begin(...position(event));
});
addEventListener("pointermove", (event) => event.pointerId === pointer && moveTo(...position(event)));
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, (event) => {
    if (event.pointerId !== pointer) return;
    pointer = undefined;
    read();
  });
}
document.getElementById("clear").addEventListener("click", clear);

// Keys draw too: a cursor begins in the middle, and draws while the pen is down.
const cursor = document.getElementById("cursor");
let place = [canvas.width / 2, canvas.height / 2];
let isDown = false;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 8;
function putCursor() {
  [cursor.style.left, cursor.style.top] = place.map((at) => `${at}px`);
  cursor.classList.toggle("down", isDown);
}
putCursor();
canvas.addEventListener("keydown", (event) => {
  const direction = KEYS[event.key];
  if (direction) {
    place = place.map((at, axis) => Math.min(canvas.width, Math.max(0, at + STEP * direction[axis])));
    if (isDown) moveTo(...place);
  } else if (event.key === " ") {
    isDown = !isDown;
    if (isDown) begin(...place);
    else read();
  } else if (event.key === "Escape") {
    isDown = false;
    clear();
  } else {
    return;
  }
  event.preventDefault();
  putCursor();
});

// `?strokes=x,y,x,y;x,y,...` draws without a hand, and reports what was read.
if (query.has("strokes")) {
  for (const stroke of query.get("strokes").split(";")) {
    const numbers = stroke.split(",").map(Number);
    begin(numbers[0], numbers[1]);
    for (let at = 0; at < numbers.length; at += 2) moveTo(numbers[at], numbers[at + 1]);
  }
  await fetch("report", { method: "POST", body: JSON.stringify(await read()) });
}
