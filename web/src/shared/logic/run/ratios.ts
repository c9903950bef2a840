// SPDX-License-Identifier: Apache-2.0
/** Rounds of two arms as ratios: of each turn's pair, and of each launch, which is the random unit. */
import type { RoundsByArm, RoundValue } from "./rounds";

export interface Turned extends RoundValue {
  turn: number;
}
export type TurnedByArm = { readonly [arm in keyof RoundsByArm]: readonly Turned[] };

export interface LaunchRatio {
  launch: number;
  /** Mean of head's rounds over the mean of base's. */
  ratio: number;
  /** head / base of each turn that both kept. */
  turns: number[];
}

const mean = (rounds: readonly RoundValue[]): number =>
  rounds.reduce((sum, round) => sum + round.cpp, 0) / rounds.length;

/** Launches that kept rounds of both; `judged` is the arm held against base. */
export function launchRatios(rounds: TurnedByArm, judged: "head" | "head_as_base"): LaunchRatio[] {
  const launches = [...new Set(rounds.base.map((round) => round.launch))].sort((a, b) => a - b);
  return launches.flatMap((launch) => {
    const [base, head] = [rounds.base, rounds[judged]].map((arm) =>
      arm.filter((round) => round.launch === launch),
    ) as [Turned[], Turned[]];
    if (head.length === 0) return [];
    const before = new Map(base.map((round) => [round.turn, round.cpp]));
    const turns = head.flatMap(({ turn, cpp }) => {
      const of = before.get(turn);
      return of ? [cpp / of] : [];
    });
    return [{ launch, ratio: mean(head) / mean(base), turns }];
  });
}

/** The arm that the verdict is about: with a change of features, head with base's. */
export const judgedArm = (rounds: TurnedByArm): "head" | "head_as_base" =>
  rounds.head_as_base.length > 0 ? "head_as_base" : "head";
