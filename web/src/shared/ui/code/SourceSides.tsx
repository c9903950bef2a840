// SPDX-License-Identifier: Apache-2.0
/** One file's lines, base and head in two columns whose rows stand beside each other. */
import { useEffect, useMemo, useRef } from "react";
import type { FileSource, Sourced } from "../../api/types";
import {
  type Block,
  blocksOf,
  hottest,
  type LineCost,
  onlySide,
  type SourceRow,
} from "../../logic/code/source";
import { figure, signed } from "../../logic/text/format";
import { SourceLink } from "../links/SourceLink";
import { highlighted, type Piece } from "./highlight";
import { UNIT } from "./SourceMissing";
import { SourceTable } from "./SourceTable";

interface Props {
  of: Sourced;
  /** The function's. */
  name: string;
  file: FileSource;
  cost: LineCost;
  whole: boolean;
  /** The line of head that is pointed out. */
  named: number | undefined;
  onWhole: () => void;
}

export function SourceSides({ of, name, file, cost, whole, named, onWhole }: Props) {
  const blocks = blocksOf(file.rows, cost, whole, named);
  const pieces = usePieces(file.rows);
  const around = useRef<HTMLDivElement>(null);
  const only = onlySide(file.rows);
  const rest: LineCost = cost === "ipp" ? "cpp" : "ipp";
  const second = hottest(file.rows, rest) > 0 ? rest : undefined;
  useEffect(() => {
    if (named !== undefined)
      around.current?.querySelector("[data-named]")?.scrollIntoView({ block: "center" });
  }, [named]);
  const boxes = useRef<Partial<Record<"base" | "head", HTMLElement | null>>>({});
  // The side that was moved along: it must not hold back the other one, whose lines may be longer.
  const follows = useRef<"base" | "head" | null>(null);
  const [before, after] = cost === "ipp" ? [file.base_ipp, file.head_ipp] : [file.base_cpp, file.head_cpp];
  const shown = only === null ? (["base", "head"] as const) : [only];
  const sides = shown.map((side) => {
    const other = side === "base" ? "head" : "base";
    return (
      <SourceTable
        key={side}
        side={side}
        label={`Source of ${name} in ${file.file}, ${side}`}
        title={
          <SourceLink
            of={of}
            sha={side === "base" ? of.base_sha : of.head_sha}
            file={file.file}
            line={firstLine(blocks, side)}
          />
        }
        blocks={blocks}
        cost={cost}
        other={second}
        hottest={hottest(file.rows, cost)}
        named={named}
        pieces={pieces[side]}
        onWhole={onWhole}
        box={(element) => {
          boxes.current[side] = element;
        }}
        onSideways={(left) => {
          if (follows.current === side) follows.current = null;
          else if (moved(boxes.current[other], left)) follows.current = other;
        }}
      />
    );
  });
  return (
    <div className="source-file" ref={around}>
      <h3>
        <span className="mono">{file.file}</span>{" "}
        <span className="soft number">
          {figure(before, "", 3)} → {figure(after, "", 3)} ({signed((after ?? 0) - (before ?? 0), 2)}){" "}
          {UNIT[cost]}
          {only &&
            (only === "head" ? " · new: base has no such lines" : " · removed: head has no such lines")}
        </span>
      </h3>
      <div className={only === null ? "source-sides" : "source-sides one"}>{sides}</div>
    </div>
  );
}

/** Each side's lines in colour, by number. */
function usePieces(rows: readonly SourceRow[]) {
  return useMemo(() => {
    const of = (side: "base" | "head"): Map<number, Piece[]> => {
      const lines = rows.flatMap((row) => row[side] ?? []);
      const coloured = highlighted(lines.map(({ text }) => text));
      return new Map(lines.map(({ line }, at) => [line, coloured[at] ?? []]));
    };
    return { base: of("base"), head: of("head") };
  }, [rows]);
}

/** Scrolls the box as far as it goes; whether that moved it. */
function moved(box: HTMLElement | null | undefined, left: number): boolean {
  if (!box) return false;
  const before = box.scrollLeft;
  box.scrollLeft = left;
  return box.scrollLeft !== before;
}

const firstLine = (blocks: readonly Block[], side: "base" | "head"): number | undefined =>
  blocks.flatMap(({ rows }) => rows).find((row) => row[side])?.[side]?.line;
