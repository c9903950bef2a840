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
  /** shown: its rows are; folded: they are the same on both sides; apart: lines between are left out. */
  kind: "shown" | "folded" | "apart";
  rows: readonly SourceRow[];
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
export function costOf(rows: readonly SourceRow[], wanted: "cycles" | undefined): LineCost {
  const has = (cost: LineCost) => rows.some(({ base, head }) => (base?.[cost] ?? head?.[cost]) != null);
  return has("cpp") && (wanted === "cycles" || !has("ipp")) ? "cpp" : "ipp";
}

/** Rows in blocks; all of them in sight if `whole`, or where nothing changed. */
export function blocksOf(rows: readonly SourceRow[], cost: LineCost, whole: boolean): Block[] {
  const marks = rows.flatMap((row, at) => (changed(row, cost) ? [at] : []));
  const near = new Set(
    marks.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, by) => at - CONTEXT + by)),
  );
  const inSight = (at: number): boolean => whole || marks.length === 0 || near.has(at);
  const found: { kind: Block["kind"]; rows: SourceRow[] }[] = [];
  const last: SourceRow = { base: null, head: null };
  rows.forEach((row, at) => {
    const kind = inSight(at) ? "shown" : "folded";
    const jumped = jumps(last, row);
    if (jumped) found.push({ kind: "apart", rows: [] });
    const open = found.at(-1);
    if (open?.kind === kind) open.rows.push(row);
    else found.push({ kind, rows: [row] });
    if (row.base) last.base = row.base;
    if (row.head) last.head = row.head;
  });
  return joined(found);
}

/** On either side, lines between are left out. */
const jumps = (last: SourceRow, row: SourceRow): boolean =>
  (["base", "head"] as const).some((side) => {
    const [before, now] = [last[side], row[side]];
    return before != null && now != null && now.line !== before.line + 1;
  });

/** Folds too small are opened, and neighbours in sight are one block. */
function joined(blocks: readonly Block[]): Block[] {
  const found: { kind: Block["kind"]; rows: SourceRow[] }[] = [];
  for (const { kind, rows } of blocks) {
    const shown = kind === "folded" && rows.length < LEAST_FOLDED ? "shown" : kind;
    const open = found.at(-1);
    if (shown === "shown" && open?.kind === "shown") open.rows.push(...rows);
    else found.push({ kind: shown, rows: [...rows] });
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
