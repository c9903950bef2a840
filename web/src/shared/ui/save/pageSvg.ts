// SPDX-License-Identifier: Apache-2.0
/** A table with bars in it, or anything else that stands on the page, drawn as one svg: text, grounds, borders. */
import { svgCopy } from "./svgCopy";

const SPACE = "http://www.w3.org/2000/svg";
/** Around the picture, CSS pixels. */
const MARGIN = 12;
/** Of a line of text the part that lies above its base line. */
const ABOVE = 0.79;

export function pageSvg(shown: HTMLElement): SVGSVGElement {
  return unscrolled(shown, () => {
    const picture = document.createElementNS(SPACE, "svg");
    const { left, top } = shown.getBoundingClientRect();
    const drawing: Drawing = { picture, left: left - MARGIN, top: top - MARGIN, right: left, bottom: top };
    drawElement(drawing, shown);
    picture.setAttribute("width", String(Math.ceil(drawing.right - left + 2 * MARGIN)));
    picture.setAttribute("height", String(Math.ceil(drawing.bottom - top + 2 * MARGIN)));
    return picture;
  });
}

interface Drawing {
  picture: SVGSVGElement;
  /** Where the picture begins in the window. */
  left: number;
  top: number;
  /** How far what is drawn reaches there. */
  right: number;
  bottom: number;
}

/** With what scrolls at its beginning, for pinned columns lie over others. */
function unscrolled<T>(shown: HTMLElement, draw: () => T): T {
  const moved = [...shown.querySelectorAll("*")].filter(({ scrollLeft }) => scrollLeft > 0);
  const were = moved.map(({ scrollLeft }) => scrollLeft);
  for (const one of moved) one.scrollLeft = 0;
  const drawn = draw();
  moved.forEach((one, index) => {
    one.scrollLeft = were[index] ?? 0;
  });
  return drawn;
}

function drawElement(drawing: Drawing, element: Element): void {
  const looks = getComputedStyle(element);
  if (looks.display === "none" || looks.visibility === "hidden") return;
  const box = element.getBoundingClientRect();
  if (element instanceof SVGSVGElement) {
    put(drawing, svgCopy(element), box, { x: box.left - drawing.left, y: box.top - drawing.top });
    return;
  }
  drawGround(drawing, box, looks);
  drawBorders(drawing, box, looks);
  for (const node of element.childNodes) {
    if (node instanceof Element) drawElement(drawing, node);
    else if (node instanceof Text) drawText(drawing, node, looks);
  }
}

function drawGround(drawing: Drawing, box: DOMRect, looks: CSSStyleDeclaration): void {
  const fill = looks.backgroundColor;
  if (fill === "transparent" || fill === "rgba(0, 0, 0, 0)") return;
  const [x, y, width, height] = [box.left - drawing.left, box.top - drawing.top, box.width, box.height];
  put(drawing, made("rect"), box, {
    x,
    y,
    width,
    height,
    rx: Number.parseFloat(looks.borderRadius) || 0,
    fill,
  });
}

function drawBorders(drawing: Drawing, box: DOMRect, looks: CSSStyleDeclaration): void {
  const line = (width: string, style: string, stroke: string, ends: Attributes): void => {
    const thick = Number.parseFloat(width);
    if (style === "none" || !thick) return;
    put(drawing, made("line"), box, { ...ends, stroke, "stroke-width": thick });
  };
  const [x1, y1] = [box.left - drawing.left, box.top - drawing.top];
  const [x2, y2] = [x1 + box.width, y1 + box.height];
  line(looks.borderTopWidth, looks.borderTopStyle, looks.borderTopColor, { x1, x2, y1, y2: y1 });
  line(looks.borderBottomWidth, looks.borderBottomStyle, looks.borderBottomColor, { x1, x2, y1: y2, y2 });
  line(looks.borderLeftWidth, looks.borderLeftStyle, looks.borderLeftColor, { x1, x2: x1, y1, y2 });
}

function drawText(drawing: Drawing, node: Text, looks: CSSStyleDeclaration): void {
  for (const { text, box } of linesOf(node)) {
    const line = made("text");
    line.textContent = looks.textTransform === "uppercase" ? text.toUpperCase() : text;
    put(drawing, line, box, {
      x: box.left - drawing.left,
      y: box.top - drawing.top + box.height * ABOVE,
      fill: looks.color,
      "font-family": looks.fontFamily,
      "font-size": looks.fontSize,
      "font-weight": looks.fontWeight,
    });
  }
}

/** A text's lines, as they were broken. */
function linesOf(node: Text): { text: string; box: DOMRect }[] {
  const lines: { text: string; box: DOMRect }[] = [];
  const range = document.createRange();
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const box = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 1) {
      last.text += ` ${word[0]}`;
      last.box.width = box.right - last.box.left;
    } else if (box.width > 0) lines.push({ text: word[0], box });
  }
  return lines;
}

type Attributes = { [name: string]: string | number };
const made = (name: string): SVGElement => document.createElementNS(SPACE, name) as SVGElement;

function put(drawing: Drawing, part: SVGElement, box: DOMRect, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, String(value));
  drawing.picture.append(part);
  drawing.right = Math.max(drawing.right, box.right);
  drawing.bottom = Math.max(drawing.bottom, box.bottom);
}
