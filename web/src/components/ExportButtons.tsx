// SPDX-License-Identifier: Apache-2.0
/** Saves what a panel shows: its table as CSV, its picture as PNG or SVG. */
import { Button } from "@mantine/core";
import type { RefObject } from "react";
import { csvOf, type Row } from "../logic/csv";
import { save, saveCanvas, saveSvg } from "./savePicture";

interface Props {
  /** Of the files, without ending; `fileName` of logic/csv makes one. */
  name: string;
  /** What is saved, for those who do not see the panel: "CPP per commit". */
  what: string;
  /** The table, its header first; made when it is asked for. */
  rows?: (() => readonly Row[]) | undefined;
  /** Around the picture: its first canvas is saved as PNG, else its first svg as SVG. */
  picture?: RefObject<HTMLElement | null> | undefined;
}

export function ExportButtons({ name, what, rows, picture }: Props) {
  return (
    <span className="exports">
      {rows && (
        <ExportButton
          word="CSV"
          what={what}
          onClick={() => save(`${name}.csv`, new Blob([csvOf(rows())], { type: "text/csv;charset=utf-8" }))}
        />
      )}
      {picture && (
        <ExportButton word="Picture" what={what} onClick={() => savePicture(name, picture.current)} />
      )}
    </span>
  );
}

function savePicture(name: string, around: HTMLElement | null): void {
  const canvas = around?.querySelector("canvas");
  const svg = around?.querySelector<SVGSVGElement>("svg");
  if (canvas) saveCanvas(name, canvas);
  else if (svg) saveSvg(name, svg);
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
