const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);
for (const svg of document.querySelectorAll("svg")) {
  const [left, right, x0, x1] = svg.dataset.x.split(" ").map(Number);
  const [bottom, top, y0, y1] = svg.dataset.y.split(" ").map(Number);
  const value = (at, from, to, low, high) => low + ((at - from) / (to - from)) * (high - low);
  const series = [...svg.querySelectorAll("[data-name]")].map((line) => ({
    name: line.dataset.name,
    points: [...line.children].flatMap((part) =>
      part.points
        ? [...part.points].map((point) => [point.x, point.y])
        : [[part.cx.baseVal.value, part.cy.baseVal.value]]
    ),
  }));
  svg.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
    const lines = [];
    for (const { name, points } of series) {
      if (points.length === 0) continue;
      const [x, y] = points.reduce((best, point) => (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best));
      if (lines.length === 0) lines.push(`${svg.dataset.unit} ${+value(x, left, right, x0, x1).toFixed(0)}`);
      const plain = value(y, bottom, top, y0, y1);
      const number = svg.classList.contains("log") ? 10 ** plain : plain;
      lines.push(`${name} ${+number.toPrecision(4)}`);
    }
    tip.textContent = lines.join("\n");
    tip.hidden = lines.length === 0;
    const space = document.documentElement.clientWidth - tip.offsetWidth - 4;
    tip.style.left = `${Math.max(0, Math.min(event.clientX + 12, space))}px`;
    tip.style.top = `${event.clientY + 12}px`;
  });
  svg.addEventListener("pointerleave", () => (tip.hidden = true));
}
