// SPDX-License-Identifier: Apache-2.0
/** One file's lines, base and head in two columns whose rows stand beside each other. */
import { useRef } from "react";
import type { FileSource, Sourced } from "../../api/types";
import { type Block, blocksOf, type LineCost } from "../../logic/code/source";
import { figure, signed } from "../../logic/text/format";
import { SourceLink } from "../links/SourceLink";
import { UNIT } from "./SourceMissing";
import { SourceTable } from "./SourceTable";

interface Props {
  of: Sourced;
  /** The function's. */
  name: string;
  file: FileSource;
  cost: LineCost;
  whole: boolean;
  onWhole: () => void;
}

export function SourceSides({ of, name, file, cost, whole, onWhole }: Props) {
  const blocks = blocksOf(file.rows, cost, whole);
  const boxes = useRef<Partial<Record<"base" | "head", HTMLElement | null>>>({});
  // The side that was moved along: it must not hold back the other one, whose lines may be longer.
  const follows = useRef<"base" | "head" | null>(null);
  const [before, after] = cost === "ipp" ? [file.base_ipp, file.head_ipp] : [file.base_cpp, file.head_cpp];
  const both = (["base", "head"] as const).map((side) => {
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
    <div className="source-file">
      <h3>
        <span className="mono">{file.file}</span>{" "}
        <span className="soft number">
          {figure(before, "", 3)} → {figure(after, "", 3)} ({signed((after ?? 0) - (before ?? 0), 2)}){" "}
          {UNIT[cost]}
        </span>
      </h3>
      <div className="source-sides">{both}</div>
    </div>
  );
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
