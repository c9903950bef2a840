// SPDX-License-Identifier: Apache-2.0
/** Parameters of an experiment under load: what each kind has, how a form writes them, and how they read. */

export interface Parameters {
  lcores?: number[];
  launches?: number | null;
  batch?: number[];
  ring?: number[];
  frame?: number[];
  loads?: number[];
  arrivals?: string | null;
  shares?: number[];
  packets?: number | null;
}

export interface ParameterField {
  name: keyof Parameters;
  label: string;
  /** What an empty field means. */
  otherwise: string;
  /** How its text is read. */
  as: "numbers" | "percentages" | "number" | "text";
}

const TABLE = "as nalm.toml has them";
const LAUNCHES: ParameterField = {
  name: "launches",
  label: "Launches",
  otherwise: "the agent's default",
  as: "number",
};

/** By kind; kinds with cells have none. */
export const FIELDS: Record<string, readonly ParameterField[] | undefined> = {
  cores: [{ name: "lcores", label: "Numbers of lcores", otherwise: TABLE, as: "numbers" }, LAUNCHES],
  roles: [
    { name: "lcores", label: "Lcores to split", otherwise: "those of the splits", as: "numbers" },
    LAUNCHES,
  ],
  queue: [
    { name: "batch", label: "Largest batches", otherwise: TABLE, as: "numbers" },
    { name: "ring", label: "Rings, packets", otherwise: TABLE, as: "numbers" },
    { name: "frame", label: "Frames, bytes", otherwise: TABLE, as: "numbers" },
    { name: "loads", label: "Loads, % of full load", otherwise: "20, 40, 60, 80, 95", as: "percentages" },
    { name: "arrivals", label: "Gaps", otherwise: "poisson", as: "text" },
  ],
  flows: [
    { name: "shares", label: "New flows, % of packets", otherwise: TABLE, as: "percentages" },
    { name: "loads", label: "Load, % of full load", otherwise: "50", as: "percentages" },
    { name: "packets", label: "Packets of a flow", otherwise: "10", as: "number" },
    LAUNCHES,
  ],
};

export interface Read {
  parameters: Parameters;
  /** The first field that cannot be read, in words. */
  wrong: string | null;
}

/** The parameters that a form's texts give. An empty text leaves the default. */
export function readParameters(kind: string, texts: Readonly<Record<string, string>>): Read {
  const parameters: Record<string, unknown> = {};
  for (const { name, label, as } of FIELDS[kind] ?? []) {
    const text = (texts[name] ?? "").trim();
    if (text === "") continue;
    const numbers = text.split(/[\s,]+/).map(Number);
    if (as === "text") parameters[name] = text;
    else if (numbers.some((one) => !(one > 0)) || (as === "number" && numbers.length > 1))
      return {
        parameters: {},
        wrong: `${label}: "${text}" is not ${as === "number" ? "a number" : "a list of numbers"} above 0`,
      };
    else if (as === "number") parameters[name] = numbers[0];
    else parameters[name] = as === "percentages" ? numbers.map((one) => one / 100) : numbers;
  }
  return { parameters, wrong: null };
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(4))}`;

/** "largest batches 64, 256", one text for each parameter that is set. */
export function parametersTexts(kind: string, parameters: Parameters): string[] {
  return (FIELDS[kind] ?? []).flatMap(({ name, label, as }) => {
    const value = parameters[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
    const shown = Array.isArray(value)
      ? value.map(as === "percentages" ? percent : String).join(", ")
      : value;
    return [`${label.charAt(0).toLowerCase()}${label.slice(1)} ${shown}`];
  });
}
