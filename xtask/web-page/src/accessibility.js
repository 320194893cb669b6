// Checks that a document can be used without eyes, without a mouse and with weak eyes: a part of the Web Content Accessibility
// Guidelines 2.2, level AA. Where `axe.min.js` is beside this file, axe-core checks the document too, whose list is longer.

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, meter, progress, output, summary, iframe, canvas, svg[role], [tabindex]";
const REFERENCES = ["for", "aria-labelledby", "aria-describedby", "aria-controls"];
const LANDMARKS = "main, header, footer, nav, aside, [role=main], [role=banner], [role=contentinfo], [role=navigation]";

// The contrast that text needs with what is behind it, and that of large text.
const CONTRAST = 4.5;
const LARGE_CONTRAST = 3;
const LARGE_PIXELS = 24;

const describe = (element) => `${element.localName}${element.id ? `#${element.id}` : ""}`;
const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true]");
const words = (text) => (text ?? "").trim();

// The name that a screen reader says; the content is a name of elements that a user presses only.
function nameOf(element) {
  const document = element.ownerDocument;
  const referenced = words(element.getAttribute("aria-labelledby")).split(/\s+/).map((id) => words(document.getElementById(id)?.textContent));
  const labels = Array.from(element.labels ?? [], (label) => words(Array.from(label.childNodes, (node) => (node === element ? "" : node.textContent)).join("")));
  const isPressed = element.matches("a, button, summary, output");
  const content = isPressed ? words(element.textContent) : "";
  return [...referenced, words(element.getAttribute("aria-label")), ...labels, words(element.getAttribute("title")), content].find((name) => name) ?? "";
}

function* names(document) {
  for (const control of document.querySelectorAll(CONTROLS)) {
    if (!isVisible(control)) continue;
    // An output that is empty so far has the name of the text that it will get.
    if (!control.matches("output") && !nameOf(control)) yield `${describe(control)} has no name`;
    if (control.tabIndex > 0) yield `${describe(control)} changes the order of the tab key`;
  }
  for (const image of document.querySelectorAll("img:not([alt])")) yield `${describe(image)} has no alternative text`;
}

function* structure(document) {
  if (!words(document.documentElement.lang)) yield "the page has no language";
  if (!words(document.title)) yield "the page has no title";
  const viewport = document.querySelector("meta[name=viewport]")?.content ?? "";
  if (/user-scalable\s*=\s*no|maximum-scale\s*=\s*1\b/.test(viewport)) yield "the page cannot be enlarged";
  const mains = document.querySelectorAll("main, [role=main]").length;
  if (mains !== 1) yield `the page has ${mains} main landmarks`;
  const headings = Array.from(document.querySelectorAll("h1, h2, h3, h4, h5, h6")).filter(isVisible);
  const levels = headings.map((heading) => Number(heading.localName[1]));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) yield "the page does not begin with its only heading of level 1";
  for (const [at, level] of levels.entries()) {
    if (at > 0 && level > levels[at - 1] + 1) yield `a heading of level ${level} follows one of level ${levels[at - 1]}`;
  }
}

function* identifiers(document) {
  const seen = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (seen.has(id)) yield `two elements have the id ${id}`;
    seen.add(id);
  }
  for (const attribute of REFERENCES) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      const missing = element.getAttribute(attribute).split(/\s+/).filter((id) => !seen.has(id));
      yield* missing.map((id) => `${attribute} of ${describe(element)} names ${id}, which is not there`);
    }
  }
}

const channels = (color) => {
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return { red, green, blue, alpha };
};
function blend(front, back) {
  const mixed = (channel) => front[channel] * front.alpha + back[channel] * (1 - front.alpha);
  return { red: mixed("red"), green: mixed("green"), blue: mixed("blue"), alpha: 1 };
}
// Relative luminance, as the guidelines define it.
function luminance({ red, green, blue }) {
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
function background(element) {
  if (!element) return { red: 255, green: 255, blue: 255, alpha: 1 };
  const own = channels(getComputedStyle(element).backgroundColor);
  return own.alpha === 1 ? own : blend(own, background(element.parentElement));
}

function* texts(document) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!words(walker.currentNode.data) || element.closest("script, style, option, :disabled") || !isVisible(element)) continue;
    const text = words(walker.currentNode.data).slice(0, 30);
    if (!element.closest(LANDMARKS)) yield `"${text}" is in no landmark`;
    const style = getComputedStyle(element);
    const behind = background(element);
    const color = channels(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const [darker, lighter] = [luminance(blend(color, behind)), luminance(behind)].sort((a, b) => a - b);
    const ratio = (lighter + 0.05) / (darker + 0.05);
    const needed = parseFloat(style.fontSize) >= LARGE_PIXELS ? LARGE_CONTRAST : CONTRAST;
    if (ratio < needed) yield `"${text}" has a contrast of ${ratio.toFixed(2)}`;
  }
}

// Returns the violations of our own list in a document.
export function violations(document) {
  return [...structure(document), ...names(document), ...identifiers(document), ...texts(document)];
}

// Returns the violations of our own list in the document of a frame and, as `axe`, those that axe-core finds, or null where it is not
// there.
export async function check(frame) {
  const document = frame.contentDocument;
  const own = violations(document);
  if (!frame.contentWindow.axe) {
    const response = await fetch("axe.min.js");
    if (!response.ok) return { own, axe: null };
    frame.contentWindow.eval(await response.text());
  }
  const found = await frame.contentWindow.axe.run(document);
  const targets = (nodes) => nodes.map(({ target }) => target.join(" ")).join(", ");
  return { own, axe: found.violations.map(({ id, nodes }) => `${id}: ${targets(nodes)}`) };
}
