// SPDX-License-Identifier: Apache-2.0
/** Tables as CSV (RFC 4180), a header row first. A missing figure is an empty cell. */

export type Cell = string | number | null | undefined;
export type Row = readonly Cell[];

/** A cell of text that begins so is run by spreadsheets: an apostrophe before it makes it text. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

export const csvOf = (rows: readonly Row[]): string =>
  rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One column a name; what a row has not is an empty cell. */
export function table<T>(rows: readonly T[], columns: { readonly [name: string]: (row: T) => Cell }): Row[] {
  const cells = Object.values(columns);
  return [Object.keys(columns), ...rows.map((row): Row => cells.map((cell) => cell(row)))];
}

/** A file's name of what it shows: words joined by `-`, nothing a file system minds. */
export const fileName = (...words: readonly string[]): string =>
  words
    .map((word) => word.replace(/[^A-Za-z0-9_.]+/g, "-").replace(/^[-.]+|-+$/g, ""))
    .filter((word) => word !== "")
    .join("-");
