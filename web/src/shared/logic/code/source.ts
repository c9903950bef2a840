// SPDX-License-Identifier: Apache-2.0
/** Both sides' source as it is read: what changed in sight, what did not folded, what is left out said. */
import type { Row } from "../text/csv";

export interface SourceLine {
  line: number;
  text: string;
  ipp: number | null;
  cpp: number | null;
}
export interface SourceRow {
  base: SourceLine | null;
  head: SourceLine | null;
}
/** Which of a line's costs is shown. */
export type LineCost = "ipp" | "cpp";

export interface Block {
  /** hidden: rows that are the same on both sides, and lines between that the report does not have. */
  kind: "shown" | "hidden";
  rows: readonly SourceRow[];
  /** Lines that cannot be shown. */
  absent: number;
}

/** Rows in sight before and after one that changed. */
const CONTEXT = 3;
/** Fewer rows are not worth folding. */
const LEAST_FOLDED = 5;
/** A smaller change is written as nothing. */
const LEAST_CHANGE = 0.005;

/** Null: neither side has a cost here. */
export function changeOf({ base, head }: SourceRow, cost: LineCost): number | null {
  const [before, after] = [base?.[cost], head?.[cost]];
  return before == null && after == null ? null : (after ?? 0) - (before ?? 0);
}

/** The text differs, or one side has none. */
export const edited = ({ base, head }: SourceRow): boolean => base?.text !== head?.text;

const changed = (row: SourceRow, cost: LineCost): boolean =>
  edited(row) || Math.abs(changeOf(row, cost) ?? 0) >= LEAST_CHANGE;

/** Instructions where they were counted, unless cycles are wanted and were sampled. */
export function costOf(
  rows: readonly SourceRow[],
  requested: "cycles" | "instructions" | undefined,
): LineCost {
  const has = (cost: LineCost) => rows.some(({ base, head }) => (base?.[cost] ?? head?.[cost]) != null);
  return has("cpp") && (requested === "cycles" || !has("ipp")) ? "cpp" : "ipp";
}

/** The greatest cost of a line on either side, for bars beside the lines. 0: none has a cost. */
export const hottest = (rows: readonly SourceRow[], cost: LineCost): number =>
  Math.max(0, ...rows.flatMap(({ base, head }) => [base?.[cost] ?? 0, head?.[cost] ?? 0]));

/** The side that has lines where the other has none: the function is new or gone. Null: both have some. */
export function onlySide(rows: readonly SourceRow[]): "base" | "head" | null {
  const has = (side: "base" | "head"): boolean => rows.some((row) => row[side] !== null);
  if (has("base") && has("head")) return null;
  return has("base") ? "base" : "head";
}

/**
 * Rows in blocks; all of them in sight if `whole`, or where nothing changed. The line of head that is pointed out is
 * in sight, too.
 */
export function blocksOf(
  rows: readonly SourceRow[],
  cost: LineCost,
  whole: boolean,
  named?: number | undefined,
): Block[] {
  const marks = rows.flatMap((row, at) =>
    changed(row, cost) || (named !== undefined && row.head?.line === named) ? [at] : [],
  );
  const near = new Set(
    marks.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, by) => at - CONTEXT + by)),
  );
  const inSight = (at: number): boolean => whole || marks.length === 0 || near.has(at);
  const found: { kind: Block["kind"]; rows: SourceRow[]; absent: number }[] = [];
  const last: SourceRow = { base: null, head: null };
  const add = (kind: Block["kind"], added: SourceRow[], absent: number): void => {
    const open = found.at(-1);
    if (open?.kind === kind) {
      open.rows.push(...added);
      open.absent += absent;
    } else found.push({ kind, rows: added, absent });
  };
  rows.forEach((row, at) => {
    const absent = between(last, row);
    if (absent > 0) add("hidden", [], absent);
    add(inSight(at) ? "shown" : "hidden", [row], 0);
    if (row.base) last.base = row.base;
    if (row.head) last.head = row.head;
  });
  return opened(found);
}

/** How many lines the report leaves out before the row, on the side that leaves out more. */
const between = (last: SourceRow, row: SourceRow): number =>
  Math.max(
    0,
    ...(["base", "head"] as const).map((side) => {
      const [before, now] = [last[side], row[side]];
      return before === null || now === null ? 0 : now.line - before.line - 1;
    }),
  );

/** Hidden parts too small to be worth it are opened, and neighbours in sight are one block. */
function opened(blocks: readonly Block[]): Block[] {
  const found: { kind: Block["kind"]; rows: SourceRow[]; absent: number }[] = [];
  for (const { kind, rows, absent } of blocks) {
    const shown = kind === "hidden" && absent === 0 && rows.length < LEAST_FOLDED ? "shown" : kind;
    const open = found.at(-1);
    if (shown === "shown" && open?.kind === "shown") open.rows.push(...rows);
    else found.push({ kind: shown, rows: [...rows], absent });
  }
  return found;
}

/** Rows of a file of comma-separated values. */
export const sourceCsv = (files: readonly { file: string; rows: readonly SourceRow[] }[]): Row[] => [
  [
    "file",
    "base_line",
    "head_line",
    "base_ipp",
    "head_ipp",
    "base_cpp",
    "head_cpp",
    "base_text",
    "head_text",
  ],
  ...files.flatMap(({ file, rows }) =>
    rows.map(
      ({ base, head }): Row => [
        file,
        base?.line,
        head?.line,
        base?.ipp,
        head?.ipp,
        base?.cpp,
        head?.cpp,
        base?.text,
        head?.text,
      ],
    ),
  ),
];
