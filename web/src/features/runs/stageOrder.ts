// SPDX-License-Identifier: Apache-2.0
/** Stages as packets pass them: an object's keys come by letter. */

interface ArmLike {
  stages?: readonly { name: string }[] | undefined;
}

/** In the order of the first arm, then what only the others have; what none names comes last. */
export function inChainOrder(stages: readonly string[], arms: readonly (ArmLike | undefined)[]): string[] {
  const chain = [...new Set(arms.flatMap((arm) => (arm?.stages ?? []).map(({ name }) => name)))];
  const place = (stage: string): number => (chain.includes(stage) ? chain.indexOf(stage) : chain.length);
  return [...new Set(stages)].sort((a, b) => place(a) - place(b));
}
