// SPDX-License-Identifier: Apache-2.0
/** What an experiment measures and how far it is, in words. */
import { ago } from "../text/format";
import { type Parameters, parametersTexts } from "./experimentParameters";

interface ExperimentLike {
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  cells: number;
}

export const isUnderWay = ({ state }: Pick<ExperimentLike, "state">): boolean =>
  state === "queued" || state === "running";

/** By kind: its tables in nalm.toml, and what the requested seconds are for. */
const REQUESTS = {
  features: { tables: "[experiments.features]", each: "cell" },
  ablation: { tables: "[ablation]", each: "cell" },
  models: { tables: "[experiments.models]", each: "cell" },
  cores: { tables: "[experiments.cores]", each: "trial" },
  queue: { tables: "[experiments.queue]", each: "load" },
  flows: { tables: "[experiments.flows]", each: "trial" },
  roles: { tables: "[experiments.roles]", each: "trial" },
} as const;

interface RequestLike {
  kind: keyof typeof REQUESTS;
  names: readonly string[];
  cell_seconds: number | null;
  parameters: Parameters;
}

/** "nop of [experiments.queue], 2 s for each load; batch 64"; what is not set is the agent's default. */
export function requestText({ kind, names, cell_seconds: seconds, parameters }: RequestLike): string {
  const { tables, each } = REQUESTS[kind];
  const what = names.length > 0 ? `${names.join(", ")} of ${tables}` : `all of ${tables}`;
  const time =
    seconds === null ? `each ${each} as long as the agent's default` : `${seconds} s for each ${each}`;
  return [`${what}, ${time}`, ...parametersTexts(kind, parameters)].join("; ");
}

/** What the requested seconds are for. */
export const eachOf = (kind: keyof typeof REQUESTS): string => REQUESTS[kind].each;

interface JobLike {
  state: string;
  host: string | null;
  held: string | null;
  waiting: string | null;
  detail: string | null;
  transitions: readonly { state: string; at: string }[];
}

/** What the experiment's job waits for, or which agent does what since when. */
export function jobText(job: JobLike, now: number): string {
  if (job.held !== null) return `Waits for approval: ${job.held}`;
  if (job.state === "queued") return job.waiting ?? "Waits for its turn in the queue";
  const claimed = job.transitions.findLast(({ state }) => state === "leased");
  const by = `Claimed by ${job.host ?? "an agent"}${claimed ? ` ${ago(claimed.at, now)}` : ""}`;
  return job.state === "leased" || job.detail === null ? by : `${by}; ${job.detail}`;
}

/** "12 of 17 cells"; how many there will be is known once the first is in. */
export function progressText(
  { state, cells }: ExperimentLike,
  planned: number | null,
  claimed = false,
): string {
  if (cells === 0 && (state === "running" || (state === "queued" && claimed))) return "Runs";
  if (cells === 0 && state === "queued") return "Waits for a bench host";
  const of = planned === null ? "" : ` of ${planned}`;
  const taken = `${cells}${of} ${(planned ?? cells) === 1 ? "cell" : "cells"}`;
  switch (state) {
    case "failed":
      return cells === 0 ? "Failed" : `Failed after ${taken}`;
    case "cancelled":
      return cells === 0 ? "Cancelled" : `Cancelled after ${taken}`;
    case "done":
      return cells === 0 ? "Done" : `Done: ${taken}`;
    default:
      return `Measured ${taken}`;
  }
}

/** Share that is measured, in whole per cent; null: not known yet. */
export const percentTaken = (cells: number, planned: number | null): number | null =>
  planned ? Math.min(100, Math.round((100 * cells) / planned)) : null;
