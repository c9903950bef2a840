// SPDX-License-Identifier: Apache-2.0
/** Histories as text: one line per commit, a verdict and `stage=value` or `stage=value[low,high]`; `-` is missing. */
import type { HistoryPoint, SeriesValue } from "./history";

export function historyFrom(text: string): HistoryPoint[] {
  const lines = text.trim().split("\n");
  return lines.map((line) => {
    const [display = "", ...cells] = line.trim().split(/\s+/);
    return { display: display === "." ? null : display, values: Object.fromEntries(cells.map(cell)) };
  });
}

function cell(text: string): [string, SeriesValue | null] {
  const [stage = "", value = ""] = text.split("=");
  if (value === "-") return [stage, null];
  const match = /^([\d.]+)(?:\[([\d.]+),([\d.]+)\])?$/.exec(value);
  if (match === null) throw new Error(`not a value: ${text}`);
  const [low, high] = [match[2], match[3]].map((edge) => (edge === undefined ? null : Number(edge)));
  return [stage, { value: Number(match[1]), low: low ?? null, high: high ?? null, source: "tsc" }];
}
