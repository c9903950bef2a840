// SPDX-License-Identifier: Apache-2.0
/** Saves what a panel shows: its table as CSV, its picture as PNG, a drawn one as SVG too. */
import { Button } from "@mantine/core";
import type { RefObject } from "react";
import { csvOf, type Row } from "../../logic/text/csv";
import { pageSvg } from "./pageSvg";
import { save, saveCanvas, saveSvg, saveSvgAsPng } from "./savePicture";
import { svgCopy } from "./svgCopy";

type Drawn = "canvas" | "svg" | "page";

interface Props {
  /** Of the files, without ending; `fileName` of logic/csv makes one. */
  name: string;
  /** What is saved, for those who do not see the panel: "CPP per commit". */
  what: string;
  /** The table, its header first; made when it is asked for. */
  rows?: (() => readonly Row[] | Promise<readonly Row[]>) | undefined;
  /** Around the picture. */
  picture?: RefObject<HTMLElement | null> | undefined;
  /** How it is drawn: on its first canvas, as its first svg, or by the page itself, as bars in a table are. */
  drawn?: Drawn;
}

export function ExportButtons({ name, what, rows, picture, drawn = "canvas" }: Props) {
  return (
    <span className="exports">
      {rows && <ExportButton word="CSV" what={what} onClick={() => void saveCsv(name, rows)} />}
      {picture && (
        <ExportButton word="PNG" what={what} onClick={() => savePng(name, picture.current, drawn)} />
      )}
      {picture && drawn !== "canvas" && (
        <ExportButton
          word="SVG"
          what={what}
          onClick={() => withSvg(picture.current, drawn, (svg) => saveSvg(name, svg))}
        />
      )}
    </span>
  );
}

async function saveCsv(name: string, rows: NonNullable<Props["rows"]>): Promise<void> {
  save(`${name}.csv`, new Blob([csvOf(await rows())], { type: "text/csv;charset=utf-8" }));
}

function savePng(name: string, around: HTMLElement | null, drawn: Drawn): void {
  const canvas = drawn === "canvas" && around?.querySelector("canvas");
  if (canvas) saveCanvas(name, canvas);
  else withSvg(around, drawn, (svg) => void saveSvgAsPng(name, svg));
}

function withSvg(around: HTMLElement | null, drawn: Drawn, use: (svg: SVGSVGElement) => void): void {
  if (around && drawn === "page") use(pageSvg(around));
  const svg = drawn === "svg" && around?.querySelector<SVGSVGElement>("svg");
  if (svg) use(svgCopy(svg));
}

interface ButtonProps {
  word: string;
  what: string;
  onClick: () => void;
}

const ExportButton = ({ word, what, onClick }: ButtonProps) => (
  <Button size="compact-xs" variant="default" aria-label={`${word} of ${what}`} onClick={onClick}>
    {word}
  </Button>
);
