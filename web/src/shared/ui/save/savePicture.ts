// SPDX-License-Identifier: Apache-2.0
/** Files made in the browser: text, a drawn canvas as PNG, an svg as SVG or PNG. */

/** Hands the file to the browser's downloads. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

const token = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The canvas on the panel's ground: its own is transparent. */
export function saveCanvas(name: string, drawn: HTMLCanvasElement): void {
  const picture = document.createElement("canvas");
  picture.width = drawn.width;
  picture.height = drawn.height;
  const context = picture.getContext("2d");
  if (context === null) return;
  context.fillStyle = token("--panel");
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(drawn, 0, 0);
  picture.toBlob((blob) => blob && save(`${name}.png`, blob));
}

const SVG = "image/svg+xml";

/** Of what `svgCopy` or `pageSvg` made. */
export function saveSvg(name: string, picture: SVGSVGElement): void {
  save(`${name}.svg`, new Blob([textOf(picture)], { type: SVG }));
}

/** As many of the picture's points to one of the page's, that print is not blurred. */
const SHARPNESS = 2;

/** The same drawn into points, on the panel's ground. */
export async function saveSvgAsPng(name: string, picture: SVGSVGElement): Promise<void> {
  const image = new Image();
  image.src = `data:${SVG};charset=utf-8,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * SHARPNESS;
  canvas.height = image.height * SHARPNESS;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  saveCanvas(name, canvas);
}

function textOf(picture: SVGSVGElement): string {
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  picture.style.background = token("--panel");
  return new XMLSerializer().serializeToString(picture);
}
