// SPDX-License-Identifier: Apache-2.0
/** What is asked of the models: figures of the address, else of the run, and inputs made of both. */
import type {
  BudgetInput,
  CapacityInput,
  CostInput,
  LinesInput,
  MeasuredBatches,
  ModelInputs,
  QueueInput,
  RolesInput,
  SpeedupInput,
} from "../../shared/api/types";
import type { PredictedSearch } from "./search";

export interface Question {
  mpps: number;
  lcores: number;
  /** Packets that the receive queue of an lcore holds. */
  queue: number;
  batch: number;
  /** Time of a poll that finds nothing, ns; not used where batches were measured. */
  poll: number;
}

const MOST_LCORES = 256;
const [QUEUE, BATCH, POLL_NS] = [1024, 32, 100];
const MOST_BATCH = 256;
/** Above the largest batch's time per packet, lcores that are tried for a loss. */
const MORE_LCORES = 6;
/** "Five nines" (Geissler et al.). */
const MOST_LOSS = 1e-5;
/** Of the measured load, within which batches of a fixed rate are compared. */
const NEAR_LOAD = 0.01;
/** Sizes below which the time of other batches does not follow. */
const LEAST_SIZES = 2;
/** Bytes, as Yamada et al. have them. */
const METADATA = [0, 2, 4, 8, 16, 32, 64];
/** Packets in flight, unless asked for others (Yamada et al.). */
export const FLIGHT = 512;
/** Of the measured rate, when nothing is asked. */
const DEFAULT_LOAD = 0.8;
/** Of the rate that full batches carry: near it, loss and delay change most. */
const LOADS = [0.1, 0.4, 0.7, 0.85, 0.93, 0.97, 1, 1.05, 1.2];
/** Instructions per cycle of the host's cores, where nothing measured says more. */
export const ASSUMED_IPC = 4;
/** Provider backbone bridging, per packet, by Pongrácz. */
const PBB = { cores: 104, cache: 25, memory: 1 };
const FRAME = 64;
const WEIGHTS = Array.from({ length: 21 }, (_, index) => index / 20);
const FLOW = 10;

const numberOr = (text: string | undefined, otherwise: number): number =>
  text === undefined || !Number.isFinite(Number(text)) ? otherwise : Number(text);

const whole = (text: string | undefined, otherwise: number, most: number): number =>
  Math.min(Math.max(Math.round(numberOr(text, otherwise)), 1), most);

/** Packets/s that lcores carry if CPP stays as it is. */
export const carried = (inputs: ModelInputs, lcores: number): number =>
  (lcores * inputs.frequency_hz) / inputs.cpp;

export function questionOf(search: PredictedSearch, inputs: ModelInputs): Question {
  const usual = (inputs.pps ?? carried(inputs, inputs.lcores)) * DEFAULT_LOAD;
  const mpps = numberOr(search.mpps, Number((usual / 1e6).toPrecision(2)));
  return {
    mpps: mpps > 0 ? mpps : 1,
    lcores: whole(search.lcores, inputs.lcores, MOST_LCORES),
    queue: whole(search.queue, QUEUE, 4096),
    batch: whole(search.batch, largestBatch(inputs) ?? BATCH, MOST_BATCH),
    poll: Math.max(numberOr(search.poll, POLL_NS), 1),
  };
}

export const budgetInput = (inputs: ModelInputs, { mpps, lcores }: Question): BudgetInput => ({
  pps: mpps * 1e6,
  frame: FRAME,
  lcores,
  frequency_hz: inputs.frequency_hz,
  cpp: inputs.cpp,
  measured_lcores: inputs.lcores,
});

/** Every number of lcores up to twice the measured ones, and to what is asked. */
export function speedupInput({ rates }: ModelInputs, lcores: number): SpeedupInput {
  const greatest = Math.max(...rates.map((one) => one.lcores), 1);
  const last = Math.min(Math.max(2 * greatest, lcores), MOST_LCORES);
  return { rates, at: Array.from({ length: last }, (_, index) => index + 1) };
}

const largestBatch = ({ batches }: ModelInputs): number | null => {
  const sizes = Object.keys(batches?.batches ?? {}).map(Number);
  return sizes.length === 0 ? null : Math.max(...sizes);
};

/** The run's batches, if those of the asked sizes tell the times of others. */
export function measuredBatches({ batches }: ModelInputs, { batch }: Question): MeasuredBatches | null {
  const kept = Object.entries(batches?.batches ?? {}).filter(([size]) => Number(size) <= batch);
  if (batches === null || kept.length < LEAST_SIZES) return null;
  return { ...batches, batches: Object.fromEntries(kept) };
}

/** Whether the run's batches were measured at the load that is asked: a closed loop offers more than is carried. */
export function atMeasuredLoad(inputs: ModelInputs, question: Question): boolean {
  const { pps, load, lcores } = inputs;
  const largest = largestBatch(inputs);
  if (pps === null || largest === null || largest > question.batch || lcores !== question.lcores)
    return false;
  const share = (question.mpps * 1e6) / pps;
  return load === "closed" ? share >= 1 : Math.abs(share - 1) <= NEAR_LOAD;
}

/** Batch times are measured; else full batches take the measured CPP, and the rest of a batch's time is the poll's. */
function queueInput(inputs: ModelInputs, question: Question, pps: number[]): QueueInput {
  const { lcores, queue, batch, poll } = question;
  const measured = measuredBatches(inputs, question);
  const packet_ns = Math.max((inputs.cpp / inputs.frequency_hz) * 1e9 - poll / batch, 0);
  const times = measured ? { measured } : { line: { base_ns: poll, packet_ns } };
  return { pps, ...times, queue, batch, lcores, arrivals: "poisson", most_lcores: MOST_LCORES };
}

/** The fewest lcores that lose next to nothing at the load. */
export function fewestInput(inputs: ModelInputs, question: Question): QueueInput {
  const pps = question.mpps * 1e6;
  const least = Math.ceil(pps / carried(inputs, 1));
  return {
    ...queueInput(inputs, { ...question, lcores: 1 }, [pps]),
    loss: MOST_LOSS,
    most_lcores: Math.min(least + MORE_LCORES, MOST_LCORES),
  };
}

/** The cycles of a pipeline's roles, shared out among the asked lcores. */
export const rolesInput = ({ work, frequency_hz }: ModelInputs, { lcores }: Question): RolesInput | null =>
  work && { work, lcores, frequency_hz };

export const linesInput = (
  { l1d_bytes }: ModelInputs,
  flight: PredictedSearch["flight"],
): LinesInput | null =>
  l1d_bytes === null
    ? null
    : { cache_bytes: l1d_bytes, packets: Number(flight ?? FLIGHT), metadata: METADATA };

export const loadInput = (inputs: ModelInputs, question: Question): QueueInput =>
  queueInput(inputs, question, [question.mpps * 1e6]);

export const loadsInput = (inputs: ModelInputs, question: Question): QueueInput =>
  queueInput(
    inputs,
    question,
    LOADS.map((share) => share * carried(inputs, question.lcores)),
  );

/** The paper's chip, else the run's host as measured, else as assumed; the run's demand, else the paper's. */
export function capacityInput(
  inputs: ModelInputs,
  { lcores }: Question,
  chip: PredictedSearch["chip"],
): CapacityInput {
  const own = { supply: { cores: lcores * inputs.frequency_hz * ASSUMED_IPC } };
  const here = inputs.supply ? { host: inputs.supply } : { own };
  return {
    ...(chip === undefined ? here : { chip }),
    lcores,
    demand: inputs.demand ?? PBB,
    frame: FRAME,
    ...(chip === undefined &&
      inputs.demand !== null &&
      lcores === inputs.lcores && { measured_pps: inputs.pps }),
  };
}

export interface Designs {
  input: CostInput | null;
  /** The line that cannot be read. */
  wrong: string | null;
}

/** A design a line, `name=first,later,first delay,later delay` in cycles; `;` also ends a line. */
export function designsOf(text: string | undefined, packets: string | undefined): Designs {
  const designs: Record<string, [number, number, number, number]> = {};
  for (const line of (text ?? "").split(/[\n;]/).filter((part) => part.trim() !== "")) {
    const [name = "", values = ""] = line.split("=").map((part) => part.trim());
    const numbers = values.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
    const [a, b, c, d] = numbers;
    const bad = numbers.length !== 4 || numbers.some((one) => !(one >= 0)) || name === "";
    if (bad || a === undefined || b === undefined || c === undefined || d === undefined)
      return { input: null, wrong: line.trim() };
    designs[name] = [a, b, c, d];
  }
  const flow = whole(packets, FLOW, 1e9);
  const given = Object.keys(designs).length > 0;
  return { input: given ? { designs, packets: flow, weights: WEIGHTS } : null, wrong: null };
}
