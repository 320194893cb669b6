#!/usr/bin/env python3
"""Turns what `tmux capture-pane -e -p` prints into an SVG.

    tmux capture-pane -e -p | scripts/terminal_svg.py TITLE > picture.svg

Letters are text; dots of Braille patterns, lines of boxes and blocks are drawn, so that they meet with any font.
"""

import re
import sys
from html import escape

WIDTH, HEIGHT, MARGIN, FONT = 8.4, 18, 12, 14
FOREGROUND, BACKGROUND = "#d8dee9", "#16181d"
COLORS = ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9"]
BRIGHT = ["#5c6370", "#f08790", "#b5dba0", "#f2d399", "#8cc6f7", "#da9bea", "#7fd0da", "#ffffff"]

# Arms of a box-drawing character: up, right, down, left.
BOXES = {
    "│": "ud", "─": "lr", "┌": "rd", "┐": "ld", "└": "ur", "┘": "ul",
    "├": "urd", "┤": "uld", "┬": "lrd", "┴": "ulr", "┼": "ulrd",
}  # fmt: skip
# Bits of a Braille pattern by column and row of the dot.
DOTS = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 1): 4, (1, 2): 5, (0, 3): 6, (1, 3): 7}


def of_256(index):
    """Returns a color of xterm's palette of 256."""
    if index < 16:
        return (COLORS + BRIGHT)[index]
    if index >= 232:
        return "#" + f"{8 + 10 * (index - 232):02x}" * 3
    levels = [0, 95, 135, 175, 215, 255]
    index -= 16
    return "#" + "".join(f"{levels[part]:02x}" for part in (index // 36, index // 6 % 6, index % 6))


class Style:
    """Colors and weight of a cell."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.fg, self.bg, self.bold, self.dim, self.reverse = None, None, False, False, False

    def apply(self, codes):
        """Takes in the numbers of an SGR sequence."""
        codes = [int(code or 0) for code in re.split("[;:]", codes)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code == 27:
                self.reverse = False
            elif code in (38, 48):
                kind = codes.pop(0)
                color = of_256(codes.pop(0)) if kind == 5 else "#%02x%02x%02x" % tuple(codes.pop(0) for _ in "rgb")
                setattr(self, "fg" if code == 38 else "bg", color)
            elif code in (39, 49):
                setattr(self, "fg" if code == 39 else "bg", None)
            else:
                for first, name, palette in ((30, "fg", COLORS), (40, "bg", COLORS), (90, "fg", BRIGHT), (100, "bg", BRIGHT)):
                    if first <= code < first + 8:
                        setattr(self, name, palette[code - first])

    def key(self):
        """Returns foreground, background (None for that of the picture), weight and dimness."""
        fg, bg = (self.fg or FOREGROUND, self.bg)
        if self.reverse:
            fg, bg = (self.bg or BACKGROUND, self.fg or FOREGROUND)
        return fg, bg, self.bold, self.dim


def cells(line, style):
    """Yields the characters of a line with their styles."""
    for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
        else:
            for char in re.sub(r"\x1b[()].|[\x0e\x0f]", "", part):
                yield char, style.key()


def shape(char, x, y):
    """Returns the path of a character that is drawn: filled areas, and lines."""
    code = ord(char)
    middle, half = (x + WIDTH / 2, y + HEIGHT / 2), 1.1
    if 0x2800 <= code < 0x2900:
        at = [(x + WIDTH * (0.25 + 0.5 * col), y + HEIGHT * (0.125 + 0.25 * row)) for (col, row), bit in DOTS.items() if code >> bit & 1]
        return "".join(f"M{cx - half:.1f} {cy - half:.1f}h2.2v2.2h-2.2z" for cx, cy in at), ""
    if char in BOXES:
        ends = {"u": (middle[0], y), "d": (middle[0], y + HEIGHT), "l": (x, middle[1]), "r": (x + WIDTH, middle[1])}
        return "", "".join(f"M{middle[0]:.1f} {middle[1]:.1f}L{ends[arm][0]:.1f} {ends[arm][1]:.1f}" for arm in BOXES[char])
    if 0x2588 <= code <= 0x258F:
        return f"M{x:.1f} {y:.1f}h{WIDTH * (0x2590 - code) / 8:.2f}v{HEIGHT}h-{WIDTH * (0x2590 - code) / 8:.2f}z", ""
    return None


def runs(line):
    """Yields first column, text and style of what has one style."""
    begin = 0
    for end in range(1, len(line) + 1):
        if end == len(line) or line[end][1] != line[begin][1]:
            yield begin, "".join(char for char, _ in line[begin:end]), line[begin][1]
            begin = end


def draw(lines):
    """Yields the elements of the picture."""
    for row, line in enumerate(lines):
        y = MARGIN + row * HEIGHT
        for column, text, (fg, bg, bold, dim) in runs(line):
            x = MARGIN + column * WIDTH
            if bg:
                yield f'<rect x="{x:.1f}" y="{y}" width="{len(text) * WIDTH:.1f}" height="{HEIGHT}" fill="{bg}"/>'
            opacity = ' opacity=".6"' if dim else ""
            shapes = [shape(char, x + at * WIDTH, y) for at, char in enumerate(text)]
            filled = "".join(drawn[0] for drawn in shapes if drawn)
            stroked = "".join(drawn[1] for drawn in shapes if drawn)
            if filled:
                yield f'<path d="{filled}" fill="{fg}"{opacity}/>'
            if stroked:
                yield f'<path d="{stroked}" stroke="{fg}"{opacity}/>'
            letters = "".join(" " if drawn else char for char, drawn in zip(text, shapes))
            for word in re.finditer(r"\S+(?: \S+)*", letters):
                weight = ' font-weight="bold"' if bold else ""
                left, width = x + word.start() * WIDTH, len(word[0]) * WIDTH
                yield (
                    f'<text x="{left:.1f}" y="{y + 13.5}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
                    f'fill="{fg}"{weight}{opacity}>{escape(word[0])}</text>'
                )


def main():
    """Reads a screen and writes its picture."""
    style = Style()
    lines = [list(cells(line, style)) for line in sys.stdin.read().rstrip("\n").split("\n")]
    width = MARGIN * 2 + max(map(len, lines)) * WIDTH
    height = MARGIN * 2 + len(lines) * HEIGHT
    title = escape(sys.argv[1])
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
        f'font-family="ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="{FONT}" fill="none" stroke-width="1.2" role="img">'
    )
    print(f'<title>{title}</title>\n<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    print("\n".join(draw(lines)))
    print("</svg>")


if __name__ == "__main__":
    main()
