// SPDX-License-Identifier: Apache-2.0
/** Saves what a panel shows: its table as CSV, its picture as PNG, a drawn one as SVG too; several in a menu. */
import { Button, Menu } from "@mantine/core";
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
  const kinds: Kind[] = [];
  if (rows) kinds.push({ word: "CSV", save: () => void saveCsv(name, rows) });
  if (picture) kinds.push({ word: "PNG", save: () => savePng(name, picture.current, drawn) });
  if (picture && drawn !== "canvas")
    kinds.push({
      word: "SVG",
      save: () => withSvg(picture.current, drawn, (svg) => saveSvg(name, svg)),
    });
  const [first, ...others] = kinds;
  if (first === undefined) return null;
  if (others.length === 0)
    return (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${first.word} of ${what}`}
        onClick={first.save}
      >
        {first.word}
      </Button>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={`Export ${what}`}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.word} aria-label={`${kind.word} of ${what}`} onClick={kind.save}>
            {kind.word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface Kind {
  word: "CSV" | "PNG" | "SVG";
  save: () => void;
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
