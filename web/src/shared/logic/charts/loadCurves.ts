// SPDX-License-Identifier: Apache-2.0
/** The figures of a sweep over the offered load: what can be shown, as points, knees and rows of a table. */

import { timeText } from "../run/distribution";
import { lossText, percent } from "../run/rates";
import { type Cell, type Row, table } from "../text/csv";
import {
  changeWithInterval,
  columnUnit,
  figure,
  inColumn,
  MISSING,
  plain,
  change as ratioText,
  significant,
  THIN,
} from "../text/format";
import { known, ratio } from "../text/units";

export interface SpreadLike {
  value: number;
  low: number | null;
  high: number | null;
}
type Figure = SpreadLike | null;

interface StageLike {
  cpp: Figure;
  batch: Figure;
  ipp: Figure;
  eipc: Figure;
}

export interface LoadPointLike extends StageLike {
  pps: number;
  share: number | null;
  forwarded_pps: Figure;
  cur: Figure;
  latency_p50_ns: Figure;
  latency_p99_ns: Figure;
  loss_ratio: Figure;
  stages: { [stage: string]: StageLike };
  trials: number;
  of: number;
}

export interface KneeLike {
  pps: number | null;
  low: number | null;
  high: number | null;
  reason: string | null;
}

export interface CurveLike {
  arm: string;
  points: readonly LoadPointLike[];
  knee: KneeLike | null;
  stage_knees: { [stage: string]: KneeLike };
}

interface ChangeLike {
  pps: number;
  ratio: number;
  low: number | null;
  high: number | null;
}

export interface SweepLike {
  arms: readonly CurveLike[];
  cpp: readonly ChangeLike[];
  cur: readonly ChangeLike[];
  knee: { ratio: number; low: number | null; high: number | null } | null;
  /** Levels of the intervals of knees and of changes. */
  knee_confidence: number;
  change_confidence: number;
}

interface FigureOver {
  /** As the choice has it. */
  word: string;
  unit: string;
  text: (value: number) => string;
  /** On the axis; as elsewhere if it is not given. */
  tick?: (value: number) => string;
  /** The axis begins at 0 where nothing is a figure that means something. */
  fromZero: boolean;
  of: (point: LoadPointLike) => Figure;
  /** Undefined: stages have none of their own. */
  ofStage?: (stage: StageLike) => Figure;
}

const number = (value: number): string => figure(value);

/** By the word of the address. */
export const FIGURES_OVER = {
  cpp: {
    word: "CPP",
    unit: "cycles/packet",
    text: number,
    tick: plain,
    fromZero: false,
    of: (one) => one.cpp,
    ofStage: (one) => one.cpp,
  },
  cur: { word: "CUR", unit: "share of time", text: percent, fromZero: true, of: (one) => one.cur },
  batch: {
    word: "Batch",
    unit: "packets/poll",
    text: number,
    tick: plain,
    fromZero: true,
    of: (one) => one.batch,
    ofStage: (one) => one.batch,
  },
  p50: {
    word: "Latency p50",
    unit: "time",
    text: timeText,
    fromZero: true,
    of: (one) => one.latency_p50_ns,
  },
  p99: {
    word: "Latency p99",
    unit: "time",
    text: timeText,
    fromZero: true,
    of: (one) => one.latency_p99_ns,
  },
  loss: {
    word: "Loss",
    unit: "share of due packets",
    text: lossText,
    tick: percent,
    fromZero: true,
    of: (one) => one.loss_ratio,
  },
  forwarded: {
    word: "Forwarded rate",
    unit: "packets/s",
    text: number,
    fromZero: true,
    of: (one) => one.forwarded_pps,
  },
  ipp: {
    word: "IPP",
    unit: "instructions/packet",
    text: number,
    tick: plain,
    fromZero: false,
    of: (one) => one.ipp,
    ofStage: (one) => one.ipp,
  },
  eipc: {
    word: "eIPC",
    unit: "instructions/cycle",
    text: number,
    tick: plain,
    fromZero: false,
    of: (one) => one.eipc,
    ofStage: (one) => one.eipc,
  },
} as const satisfies Record<string, FigureOver>;

export type OverLoad = keyof typeof FIGURES_OVER;
export const OVER_LOAD = Object.keys(FIGURES_OVER) as OverLoad[];
export const figureOver = (over: OverLoad): FigureOver => FIGURES_OVER[over];
export const hasStages = (over: OverLoad): boolean => figureOver(over).ofStage !== undefined;

/** Of both builds, in the order in which packets pass them. */
export const stagesOf = ({ arms }: SweepLike): string[] => [
  ...new Set(arms.flatMap((arm) => arm.points.flatMap((point) => Object.keys(point.stages)))),
];

/** Whether the build has the stage, which is undefined for the chain. */
export const hasStage = (curve: CurveLike, stage: string | undefined): boolean =>
  stage === undefined || curve.points.some((point) => stage in point.stages);

/** The figure of the chain, or of the stage if it is given; null where it was not counted. */
export function valueOver(point: LoadPointLike, over: OverLoad, stage: string | undefined): Figure {
  const { of, ofStage } = figureOver(over);
  if (stage === undefined || ofStage === undefined) return of(point);
  const own = point.stages[stage];
  return own === undefined ? null : ofStage(own);
}

/** Whether any load of any build has the figure. */
export const isKnown = ({ arms }: SweepLike, over: OverLoad, stage?: string): boolean =>
  arms.some((arm) => arm.points.some((point) => valueOver(point, over, stage) !== null));

type Point = readonly [number, number];

export interface Drawn {
  points: Point[];
  low: Point[];
  high: Point[];
}

/** Medians over the offered load, and the quartiles where they are known. */
export function drawn(curve: CurveLike, over: OverLoad, stage: string | undefined): Drawn {
  const found: Drawn = { points: [], low: [], high: [] };
  for (const point of curve.points) {
    const of = valueOver(point, over, stage);
    if (of === null) continue;
    found.points.push([point.pps, of.value]);
    if (of.low !== null && of.high !== null) {
      found.low.push([point.pps, of.low]);
      found.high.push([point.pps, of.high]);
    }
  }
  return found;
}

/** From 0 or a little below the least value to a little above the greatest. */
export function rangeOf(curves: readonly Drawn[], fromZero: boolean): { low: number; high: number } {
  const values = curves.flatMap(({ points, low, high }) => [...points, ...low, ...high].map(([, y]) => y));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  return { low: fromZero ? 0 : Math.max(0, least - room), high: most + room };
}

export const kneeOf = (curve: CurveLike, stage: string | undefined): KneeLike | null =>
  stage === undefined ? curve.knee : (curve.stage_knees[stage] ?? null);

/** Of which level the intervals in brackets are. */
export const bracketsText = ({ knee_confidence, change_confidence }: SweepLike): string =>
  `Brackets: intervals, ${levelText(knee_confidence)} of a knee and its move, ${levelText(change_confidence)} of ` +
  "the changes at all loads together.";

const levelText = (level: number): string => `${significant(100 * level, 2)}${THIN}%`;

/** Breaks in no line. */
const unbroken = (text: string): string => text.replaceAll(" ", "\u00a0");

/** "2.02 [1.98, 2.07] Mpackets/s", or why there is none. */
export function kneeText(knee: KneeLike | null): string {
  if (knee === null) return "not known: too few loads have valid trials";
  if (knee.pps === null) return `none: ${knee.reason ?? "not found"}`;
  const unit = columnUnit([knee.pps], "packets/s");
  const of = (pps: number): string => significant(pps / unit.divisor, 3);
  if (knee.low === null) return `${of(knee.pps)}${THIN}${unit.unit}, interval not known`;
  if (knee.high !== null)
    return unbroken(`${of(knee.pps)} [${of(knee.low)}, ${of(knee.high)}]${THIN}${unit.unit}`);
  return `${unbroken(`${of(knee.pps)} [${of(knee.low)}`)}, beyond the greatest load]${THIN}${unit.unit}`;
}

/** "\u221231.0 % [\u221235.2, \u221226.0]"; an end that is not known is an en dash. */
export function moveText(move: NonNullable<SweepLike["knee"]>): string {
  const [of, low, high] = [ratio(move.ratio), known(move.low, ratio), known(move.high, ratio)];
  if (low === null && high === null) return `${ratioText(of)}, interval not known`;
  if (low !== null && high !== null) return unbroken(changeWithInterval(of, low, high));
  return unbroken(`${ratioText(of)} [${ratioText(low)}, ${ratioText(high)}]`);
}

/** The median with its quartiles: "1010, 1004 to 1017". */
export function spreadText(of: Figure, text: (value: number) => string): { value: string; spread: string } {
  if (of === null) return { value: MISSING, spread: "" };
  return {
    value: text(of.value),
    spread: of.low === null || of.high === null ? "" : `${text(of.low)} to ${text(of.high)}`,
  };
}

export interface LoadRow {
  pps: number;
  share: number | null;
  base: LoadPointLike | undefined;
  head: LoadPointLike | undefined;
  change: ChangeLike | undefined;
}

/** A row for each load that either build was offered, least first. */
export function loadRows(sweep: SweepLike, over: OverLoad, stage: string | undefined): LoadRow[] {
  const of = (arm: string): readonly LoadPointLike[] =>
    sweep.arms.find((one) => one.arm === arm)?.points ?? [];
  const [base, head] = [of("base"), of("head")];
  const changes = stage !== undefined ? [] : over === "cpp" ? sweep.cpp : over === "cur" ? sweep.cur : [];
  const loads = [...new Set([...base, ...head].map((one) => one.pps))].sort((a, b) => a - b);
  return loads.map((pps) => {
    const [old, now] = [base, head].map((points) => points.find((one) => one.pps === pps));
    const change = changes.find((one) => one.pps === pps);
    return { pps, share: old?.share ?? now?.share ?? null, base: old, head: now, change };
  });
}

/** All figures of both builds, one row a load, build and stage (empty: the chain). */
export function loadsFile(sweep: SweepLike): Row[] {
  const rows = sweep.arms.flatMap(({ arm, points }) =>
    points.flatMap((point) => [
      { arm, point, stage: undefined as string | undefined },
      ...Object.keys(point.stages).map((stage) => ({ arm, point, stage })),
    ]),
  );
  const columns: [string, (row: (typeof rows)[number]) => Cell][] = OVER_LOAD.flatMap((over) => {
    const { unit } = figureOver(over);
    const of = ({ point, stage }: (typeof rows)[number]): Figure =>
      stage !== undefined && !hasStages(over) ? null : valueOver(point, over, stage);
    const named = `[${over === "p50" || over === "p99" ? "ns" : unit}]`;
    return [
      [`${over} ${named}`, (row) => of(row)?.value],
      [`${over}_low ${named}`, (row) => of(row)?.low],
      [`${over}_high ${named}`, (row) => of(row)?.high],
    ];
  });
  return table(rows, {
    build: (row) => row.arm,
    stage: (row) => row.stage,
    "offered [packets/s]": (row) => row.point.pps,
    "share_of_ndr [1]": (row) => row.point.share,
    ...Object.fromEntries(columns),
    valid_trials: (row) => row.point.trials,
    trials: (row) => row.point.of,
  });
}

export interface Scale {
  unit: string;
  text: (value: number) => string;
  tick: (value: number) => string;
}

/** How values of the figure are written; rates share one unit, which the loads choose. */
export function scaleOf(over: OverLoad, loads: readonly number[]): Scale {
  const { unit, text, tick = text } = figureOver(over);
  if (unit !== "packets/s") return { unit, text, tick };
  const column = columnUnit(loads, unit);
  return {
    unit: column.unit,
    text: (value) => inColumn(value, column),
    tick: (value) => plain(value / column.divisor),
  };
}

export const loadsOf = ({ arms }: SweepLike): number[] =>
  arms.flatMap((arm) => arm.points.map((point) => point.pps));

/** Loads of which half lie below this share of the greatest are spread by a logarithmic axis. */
const CROWDED = 0.25;

export interface LoadAxis {
  name: string;
  low: number;
  high: number;
  log: boolean;
  text: (value: number) => string;
}

/** The axis of the offered load. */
export function loadAxis(loads: readonly number[]): LoadAxis {
  const sorted = [...loads].sort((a, b) => a - b);
  const [least = 1, most = 1] = [sorted[0], sorted.at(-1)];
  const middle = sorted[Math.floor(sorted.length / 2)] ?? most;
  const log = middle < CROWDED * most;
  const { unit, divisor } = columnUnit(loads, "packets/s");
  return {
    name: `offered load, ${unit}`,
    low: log ? least / 1.1 : 0,
    high: most * (log ? 1.1 : 1.03),
    log,
    text: (value) => plain(value / divisor),
  };
}
