// SPDX-License-Identifier: Apache-2.0
/** Probabilities of change points against the share that held, on a scale that spreads what is nearly certain. */
import type { Dots, PlotAxis, Point } from "../../shared/charts/curves";
import { nines } from "../../shared/logic/run/distribution";
import { percent } from "../../shared/logic/run/rates";
import { plain, THIN } from "../../shared/logic/text/format";

export interface CalibrationLike {
  probability: number;
  rate: number | null;
  low: number;
  high: number;
  trials: number;
}

/** Change points are shown from this probability on. */
const LEAST = 50;
const TICKS = [80, 95, 99];
/** The end of the scale. What is beyond stands there. */
const MOST = 99.9;

/** The place of a share of 1 on the scale: 90 %, 99 % and 99.9 % are equally far apart. */
export const placeOf = (share: number): number => nines(Math.min(share * 100, MOST));

const ticks = (...percents: number[]): { ticks: number[]; text: (place: number) => string } => {
  const places = percents.map((percent) => nines(percent));
  return {
    ticks: places,
    text: (place) => {
      const percent = percents[places.indexOf(place)];
      return percent === MOST ? `\u2265${THIN}${MOST}${THIN}%` : `${percent}${THIN}%`;
    },
  };
};

/** Its end has no tick: the text would reach beyond the plot. */
export const PREDICTED: PlotAxis = {
  name: "probability when it was found",
  low: nines(LEAST),
  high: nines(MOST),
  ...ticks(LEAST, ...TICKS),
};

export const OBSERVED: PlotAxis = {
  name: "share that still holds",
  low: 0,
  high: nines(MOST),
  ...ticks(0, LEAST, ...TICKS, MOST),
};

/** Where the share that holds is what was predicted. */
export const DIAGONAL: readonly Point[] = [
  [PREDICTED.low, PREDICTED.low],
  [PREDICTED.high, PREDICTED.high],
];

interface GroupLike {
  least: number;
  most: number;
  probability: number;
}

/** Of which probabilities a group is: "95 to 99 %", under it "average 97.0 %". */
export const groupText = ({ least, most, probability }: GroupLike): { name: string; under: string } => ({
  name: `${plain(least * 100)} to ${plain(most * 100)}${THIN}%`,
  under: `average ${percent(probability)}`,
});

/** A point for each group that has change points, with its bounds and their number. */
export function calibrationDots(groups: readonly CalibrationLike[]): Omit<Required<Dots>, "name"> {
  const shown = groups.flatMap((one) => (one.rate === null ? [] : [{ ...one, rate: one.rate }]));
  return {
    points: shown.map((one): Point => [placeOf(one.probability), placeOf(one.rate)]),
    between: shown.map((one) => [placeOf(one.low), placeOf(one.high)] as const),
    texts: shown.map((one) => String(one.trials)),
  };
}
