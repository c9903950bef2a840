// SPDX-License-Identifier: Apache-2.0
/** A stage keeps its colour and dash on every chart: both follow its place in the scenario's list of stages. */

export const CHAIN = "chain";

interface Ink {
  light: string;
  dark: string;
  dash: readonly number[];
}

const CHAIN_INK: Ink = { light: "#111827", dark: "#f3f4f6", dash: [] };
const STAGE_INKS: readonly Ink[] = [
  { light: "#1d5fd1", dark: "#7fb0ff", dash: [] },
  { light: "#b4540a", dark: "#f5a65b", dash: [] },
  { light: "#00746b", dark: "#4fd1bf", dash: [] },
  { light: "#a3247a", dark: "#f28ccf", dash: [] },
  { light: "#5b6b00", dark: "#c5d34f", dash: [] },
  { light: "#6a44c9", dark: "#bda5ff", dash: [] },
  { light: "#8a3b3b", dark: "#e9a3a3", dash: [] },
  { light: "#3d6577", dark: "#9cc7da", dash: [] },
];

/** Colour and dash of a stage; beyond eight stages colours come again, dashed. */
export function stageInk(
  stage: string,
  stages: readonly string[],
  dark: boolean,
): { color: string; dash: number[] } {
  const ink = stage === CHAIN ? CHAIN_INK : inkAt(stages.filter((name) => name !== CHAIN).indexOf(stage));
  return { color: dark ? ink.dark : ink.light, dash: [...ink.dash] };
}

function inkAt(position: number): Ink {
  const index = Math.max(position, 0);
  const ink = STAGE_INKS[index % STAGE_INKS.length] ?? CHAIN_INK;
  return index < STAGE_INKS.length ? ink : { ...ink, dash: [6, 4] };
}
