import init, { Mnist, scale } from "./mnist_inference_web.js";

const query = new URLSearchParams(location.search);
const canvas = document.getElementById("drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const scaled = document.getElementById("scaled").getContext("2d");
const meters = Array.from({ length: 10 }, (_, digit) => {
  const row = document.getElementById("probabilities").appendChild(document.createElement("div"));
  row.append(`${digit} `);
  return row.appendChild(document.createElement("meter"));
});

await init();
const model = new Mnist();
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

// Reads what is drawn, and shows it as the network sees it.
async function read() {
  const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
  const image = scale(data, width);
  const pixels = scaled.createImageData(8, 8);
  image.forEach((ink, at) => (pixels.data[4 * at + 3] = (255 * ink) / 16));
  scaled.putImageData(pixels, 0, 0);
  const start = performance.now();
  const probabilities = await model.inference(image);
  const time = performance.now() - start;
  const digit = probabilities.indexOf(Math.max(...probabilities));
  meters.forEach((meter, digit) => (meter.value = probabilities[digit]));
  document.getElementById("answer").textContent =
    `${digit} (${(100 * probabilities[digit]).toFixed(1)} %, ${time.toFixed(1)} ms)`;
  return { digit, image: Array.from(image), probabilities: Array.from(probabilities) };
}

const place = (event) => [event.offsetX, event.offsetY];
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  begin(...place(event));
});
canvas.addEventListener("pointermove", (event) => event.buttons && moveTo(...place(event)));
canvas.addEventListener("pointerup", read);
document.getElementById("clear").addEventListener("click", () => {
  context.clearRect(0, 0, canvas.width, canvas.height);
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
