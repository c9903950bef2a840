// SPDX-License-Identifier: Apache-2.0

/** What a style sheet says of an svg's parts; written into the copy, that it looks the same outside the page. */
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "visibility",
];

/** An svg as it is drawn on the page, needing nothing of the page. */
export function svgCopy(drawn: SVGSVGElement): SVGSVGElement {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const parts = copy.querySelectorAll<SVGElement>("*");
  drawn.querySelectorAll("*").forEach((part, index) => {
    const looks = getComputedStyle(part);
    for (const look of LOOKS) parts[index]?.style.setProperty(look, looks.getPropertyValue(look));
  });
  const { width, height } = drawn.getBoundingClientRect();
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return copy;
}
