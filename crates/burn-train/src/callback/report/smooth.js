const slider = document.getElementById("smooth");
const curves = [...document.querySelectorAll("svg polyline")].map((line) => {
  const measured = line.cloneNode();
  measured.classList.add("measured");
  line.before(measured);
  return { line, points: [...line.points].map((point) => [point.x, point.y]) };
});
slider.addEventListener("input", () => {
  const keep = Number(slider.value);
  document.body.classList.toggle("smooth", keep > 0);
  for (const { line, points } of curves) {
    let [sum, weight] = [0, 0];
    const smoothed = points.map(([x, y]) => {
      sum = keep * sum + (1 - keep) * y;
      weight = keep * weight + (1 - keep);
      return `${x},${+(sum / weight).toFixed(2)}`;
    });
    line.setAttribute("points", smoothed.join(" "));
  }
});
