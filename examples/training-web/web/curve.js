// The curve of the loss as an SVG. Each number of `losses` is the loss before a step.
const BOX = { left: 44, right: 340, top: 12, bottom: 228 };
const TICKS = 5;

// The step between round ticks: one, two or five times a power of ten.
function tickStep(range) {
  const power = 10 ** Math.floor(Math.log10(range / TICKS));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => range / step <= TICKS);
}

function part(name, attributes, text = "") {
  const part = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  part.textContent = text;
  return part;
}

function axis(range, draw) {
  const step = tickStep(range);
  for (let index = 0; index * step <= range * 1.0001; index++) draw(index * step, String(+(index * step).toPrecision(6)));
}

export function drawCurve(svg, losses) {
  const steps = Math.max(100, losses.length);
  const highest = losses.reduce((highest, loss) => Math.max(highest, loss), 0.8);
  const x = (step) => BOX.left + ((BOX.right - BOX.left) * step) / steps;
  const y = (loss) => BOX.bottom - ((BOX.bottom - BOX.top) * loss) / highest;
  const parts = [];
  axis(steps, (step, text) => {
    parts.push(part("line", { x1: x(step), x2: x(step), y1: BOX.top, y2: BOX.bottom }));
    parts.push(part("text", { x: x(step), y: BOX.bottom + 18, "text-anchor": "middle" }, text));
  });
  axis(highest, (loss, text) => {
    parts.push(part("line", { x1: BOX.left, x2: BOX.right, y1: y(loss), y2: y(loss) }));
    parts.push(part("text", { x: BOX.left - 6, y: y(loss) + 4, "text-anchor": "end" }, text));
  });
  // At most a point for each pixel, and the newest loss in any case.
  const stride = Math.ceil(losses.length / (BOX.right - BOX.left));
  const isShown = (_, step) => step % stride === 0 || step === losses.length - 1;
  const shown = [...losses.keys()].filter(isShown).map((step) => `${x(step).toFixed(2)},${y(losses[step]).toFixed(2)}`);
  parts.push(part("polyline", { points: shown.join(" ") }));
  svg.replaceChildren(...parts);
  const last = losses.at(-1)?.toFixed(4);
  svg.setAttribute("aria-label", last ? `Loss by step: ${losses[0].toFixed(4)} at first, ${last} after ${losses.length} steps` : "Loss by step");
}
