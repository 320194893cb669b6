import init, { Mnist, scale } from "./mnist_inference_web.js";

const query = new URLSearchParams(location.search);
const canvas = document.getElementById("drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const scaled = document.getElementById("scaled").getContext("2d");
const answer = document.getElementById("answer");
const meters = Array.from({ length: 10 }, (_, digit) => {
  const row = document.getElementById("probabilities").appendChild(document.createElement("div"));
  row.append(`${digit} `);
  return row.appendChild(document.createElement("meter"));
});

await init().catch((error) => {
  throw new Error(`The network could not be loaded: ${error.message}. Reload the page to try again.`);
});
const model = new Mnist();
answer.textContent = "";
context.lineWidth = 28;
context.lineCap = context.lineJoin = "round";

let last;
function begin(x, y) {
  last = [x, y];
  moveTo(x, y);
}
function moveTo(x, y) {
  context.beginPath();
  context.moveTo(...last);
  context.lineTo(x, y);
  context.stroke();
  last = [x, y];
}

// Reads what is drawn, and shows it as the network sees it. Only the answer to the newest drawing is shown.
let newest = 0;
async function read() {
  const number = ++newest;
  const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
  const image = scale(data, width);
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

// `?strokes=x,y,x,y;x,y,...` draws without a hand, and reports what was read.
if (query.has("strokes")) {
  for (const stroke of query.get("strokes").split(";")) {
    const numbers = stroke.split(",").map(Number);
    begin(numbers[0], numbers[1]);
    for (let at = 0; at < numbers.length; at += 2) moveTo(numbers[at], numbers[at + 1]);
  }
  await fetch("report", { method: "POST", body: JSON.stringify(await read()) });
}
