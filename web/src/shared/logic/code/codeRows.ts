// SPDX-License-Identifier: Apache-2.0
/** Functions and source lines of a run as rows of one table: chosen, searched, put in order, saved. */
import type { Row } from "../text/csv";

interface LineLike {
  file: string;
  line: number;
  ipp?: number | null;
  cpp?: number | null;
}
interface SideLike {
  file?: string | null;
  line?: number | null;
  ipp?: number | null;
  calls?: number | null;
  cpp?: number | null;
  lines?: readonly LineLike[];
}
export interface FunctionLike {
  name: string;
  stage: string | null;
  base: SideLike | null;
  head: SideLike | null;
}

export const CODE_VIEWS = ["functions", "head", "base"] as const;
/** Functions with both sides, or the lines of one side: each commit numbers its lines its own way. */
export type CodeView = (typeof CODE_VIEWS)[number];

export const FIGURES = {
  ipp: "Instructions/packet",
  base_ipp: "Instructions/packet, base",
  head_ipp: "Instructions/packet, head",
  change_ipp: "Change",
  base_calls: "Calls/packet, base",
  head_calls: "Calls/packet, head",
  cpp: "Cycles/packet",
  base_cpp: "Cycles/packet, base",
  head_cpp: "Cycles/packet, head",
  change_cpp: "Change",
} as const;
export type Figure = keyof typeof FIGURES;

/** As the address has it. */
export const functionKey = (one: { name: string; stage: string | null }): string =>
  `${one.stage ?? ""}/${one.name}`;
export const hasLines = ({ base, head }: FunctionLike): boolean =>
  (base?.lines ?? []).length + (head?.lines ?? []).length > 0;

export interface CodeRow {
  key: string;
  /** Its function, as the address has it. */
  fn: string;
  /** Whether that can be read line by line. */
  opens: boolean;
  name: string;
  stage: string;
  /** Where it is written; null: without debug information. */
  file: string | null;
  line: number | null;
  side: "base" | "head";
  figures: Partial<Record<Figure, number | null>>;
}

export const OUTSIDE = "outside stages";

/** As the server has them: largest change first, a function's costliest line first. */
export const codeRows = (functions: readonly FunctionLike[], view: CodeView): CodeRow[] =>
  view === "functions" ? functions.map(functionRow) : functions.flatMap((one) => lineRows(one, view));

function functionRow(one: FunctionLike): CodeRow {
  const { name, stage, base, head } = one;
  const side = head?.file ? "head" : base?.file ? "base" : "head";
  const at = side === "head" ? head : base;
  return {
    key: functionKey(one),
    fn: functionKey(one),
    opens: hasLines(one),
    name,
    stage: stage ?? OUTSIDE,
    file: at?.file ?? null,
    line: at?.line ?? null,
    side,
    figures: {
      ...both("ipp", base, head),
      ...both("calls", base, head),
      ...both("cpp", base, head),
      change_ipp: difference(base?.ipp, head?.ipp),
      change_cpp: difference(base?.cpp, head?.cpp),
    },
  };
}

type Cost = "ipp" | "calls" | "cpp";
const both = (cost: Cost, base: SideLike | null, head: SideLike | null): CodeRow["figures"] => ({
  [`base_${cost}`]: base?.[cost] ?? null,
  [`head_${cost}`]: head?.[cost] ?? null,
});

/** A side that has none adds nothing; neither: not known. */
const difference = (base: number | null | undefined, head: number | null | undefined): number | null =>
  base == null && head == null ? null : (head ?? 0) - (base ?? 0);

function lineRows(one: FunctionLike, side: "base" | "head"): CodeRow[] {
  return (one[side]?.lines ?? []).map(({ file, line, ipp, cpp }) => ({
    key: `${functionKey(one)} ${file}:${line}`,
    fn: functionKey(one),
    opens: true,
    name: one.name,
    stage: one.stage ?? OUTSIDE,
    file,
    line,
    side,
    figures: { ipp: ipp ?? null, cpp: cpp ?? null },
  }));
}

/** Figures that a row has, in the order of FIGURES. */
export const figuresOf = (rows: readonly CodeRow[]): Figure[] =>
  (Object.keys(FIGURES) as Figure[]).filter((figure) => rows.some((row) => row.figures[figure] != null));

export const placeOf = ({ file, line }: CodeRow): string => (line ? `${file}:${line}` : (file ?? ""));

/** Those that have the words in their name, stage or place. */
export function found(rows: readonly CodeRow[], words: string): CodeRow[] {
  const requested = words.toLowerCase().split(/\s+/);
  const text = (row: CodeRow): string => `${row.name} ${row.stage} ${placeOf(row)}`.toLowerCase();
  return rows.filter((row) => requested.every((word) => text(row).includes(word)));
}

export type SortKey = Figure | "name";

/** Figures largest first, names from a; `up` turns that round. What is missing stays last. */
export function inOrder(rows: readonly CodeRow[], by: string | undefined, up: boolean): CodeRow[] {
  if (by === undefined) return [...rows];
  const turned = up ? -1 : 1;
  if (by === "name") return [...rows].sort((a, b) => turned * a.name.localeCompare(b.name));
  const of = (row: CodeRow): number | null => row.figures[by as Figure] ?? null;
  return [...rows].sort((a, b) => {
    const [first, second] = [of(a), of(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return turned * (second - first);
  });
}

/** As a file. */
export function codeFile(rows: readonly CodeRow[], figures: readonly Figure[]): Row[] {
  const head = ["function", "stage", "file", "line", ...figures];
  const body = rows.map(
    (row): Row => [row.name, row.stage, row.file, row.line, ...figures.map((figure) => row.figures[figure])],
  );
  return [head, ...body];
}
