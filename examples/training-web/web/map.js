// The spirals, and below them the class that the network gives to each cell of a square.
const CELLS = 48;
// The square is a little larger than the spirals, whose coordinates are from -1 to 1.
const EXTENT = 1.15;
const COLORS = [
  { point: "#1f5f8b", cell: [188, 217, 236] },
  { point: "#b02a3c", cell: [246, 205, 210] },
];

// The middles of the cells, row by row from the top, two numbers each.
export const cells = new Float32Array(2 * CELLS * CELLS);
const middle = (index) => EXTENT * ((2 * index + 1) / CELLS - 1);
for (let row = 0; row < CELLS; row++) {
  for (let column = 0; column < CELLS; column++) cells.set([middle(column), -middle(row)], 2 * (CELLS * row + column));
}

const small = Object.assign(document.createElement("canvas"), { width: CELLS, height: CELLS }).getContext("2d");

// Draws the probabilities of the second class in `cells`, and `points`, whose first half is the first class.
export function drawMap(canvas, probabilities, points) {
  const image = small.createImageData(CELLS, CELLS);
  probabilities.forEach((probability, cell) => {
    const color = COLORS[0].cell.map((value, channel) => value + (COLORS[1].cell[channel] - value) * probability);
    image.data.set([...color, 255], 4 * cell);
  });
  small.putImageData(image, 0, 0);
  const context = canvas.getContext("2d");
  context.drawImage(small.canvas, 0, 0, canvas.width, canvas.height);
  const position = (value) => (canvas.width * (value / EXTENT + 1)) / 2;
  for (let point = 0; point < points.length; point += 2) {
    const [x, y] = [position(points[point]), position(-points[point + 1])];
    const isSecond = point >= points.length / 2;
    context.fillStyle = COLORS[Number(isSecond)].point;
    context.beginPath();
    if (isSecond) context.rect(x - 4, y - 4, 8, 8);
    else context.arc(x, y, 4.5, 0, 2 * Math.PI);
    context.fill();
  }
}
