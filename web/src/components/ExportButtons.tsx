// SPDX-License-Identifier: Apache-2.0
/** Saves what a panel shows: its table as CSV, its picture as PNG, a drawn one as SVG too. */
import { Button } from "@mantine/core";
import type { RefObject } from "react";
import { csvOf, type Row } from "../logic/csv";
import { save, saveCanvas, saveSvg, saveSvgAsPng } from "./savePicture";

interface Props {
  /** Of the files, without ending; `fileName` of logic/csv makes one. */
  name: string;
  /** What is saved, for those who do not see the panel: "CPP per commit". */
  what: string;
  /** The table, its header first; made when it is asked for. */
  rows?: (() => readonly Row[]) | undefined;
  /** Around the picture: its first canvas is saved, else its first svg. */
  picture?: RefObject<HTMLElement | null> | undefined;
  /** The picture is an svg. */
  vector?: boolean;
}

export function ExportButtons({ name, what, rows, picture, vector = false }: Props) {
  return (
    <span className="exports">
      {rows && (
        <ExportButton
          word="CSV"
          what={what}
          onClick={() => save(`${name}.csv`, new Blob([csvOf(rows())], { type: "text/csv;charset=utf-8" }))}
        />
      )}
      {picture && <ExportButton word="PNG" what={what} onClick={() => savePng(name, picture.current)} />}
      {picture && vector && (
        <ExportButton
          word="SVG"
          what={what}
          onClick={() => withSvg(picture.current, (svg) => saveSvg(name, svg))}
        />
      )}
    </span>
  );
}

function savePng(name: string, around: HTMLElement | null): void {
  const canvas = around?.querySelector("canvas");
  if (canvas) saveCanvas(name, canvas);
  else withSvg(around, (svg) => void saveSvgAsPng(name, svg));
}

function withSvg(around: HTMLElement | null, use: (svg: SVGSVGElement) => void): void {
  const svg = around?.querySelector<SVGSVGElement>("svg");
  if (svg) use(svg);
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
