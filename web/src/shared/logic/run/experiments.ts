// SPDX-License-Identifier: Apache-2.0
/** How far an experiment is, in words. */

interface ExperimentLike {
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  cells: number;
}

export const isUnderWay = ({ state }: Pick<ExperimentLike, "state">): boolean =>
  state === "queued" || state === "running";

/** "12 of 17 cells"; how many there will be is known once the first is in. */
export function progressText({ state, cells }: ExperimentLike, planned: number | null): string {
  if (state === "queued" && cells === 0) return "Waits for a bench host";
  const of = planned === null ? "" : ` of ${planned}`;
  const taken = `${cells}${of} ${(planned ?? cells) === 1 ? "cell" : "cells"}`;
  switch (state) {
    case "failed":
      return `Failed after ${taken}`;
    case "cancelled":
      return `Cancelled after ${taken}`;
    case "done":
      return cells === 0 ? "Done" : `Done: ${taken}`;
    default:
      return `Measured ${taken}`;
  }
}

/** Share that is measured, in whole per cent; null: not known yet. */
export const percentTaken = (cells: number, planned: number | null): number | null =>
  planned ? Math.min(100, Math.round((100 * cells) / planned)) : null;
