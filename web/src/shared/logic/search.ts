// SPDX-License-Identifier: Apache-2.0
/**
 * What the URL may say after the question mark, per page. Whatever is not understood is undefined, never an error: the
 * router lays the answer over what stands in the address, so that a key left out would come through as it is there.
 */
import { ALERT_STATES } from "./alerts";
import type { Scale } from "./charts/history";
import { type CodeView, FIGURES } from "./code/codeRows";
import { functionsOf, functionsText } from "./code/functions";
import { REASONS } from "./queue";
import { DISPLAYS } from "./run/verdict";

/** The metrics a history shows unless one is chosen. */
export const MAIN_METRICS = ["cpp", "ipp", "eipc", "pps"];
const SHA = /^[0-9a-f]{7,64}$/;

type Raw = Record<string, unknown>;

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

const list = (value: unknown): string[] => (text(value) ?? "").split(",").filter((item) => item !== "");

const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((item) => item === value);

const matching = (value: unknown, form: RegExp): string | undefined => {
  const given = text(value);
  return given !== undefined && form.test(given) ? given : undefined;
};

export interface CommitsSearch {
  outcome?: string | undefined;
  scenario?: string | undefined;
}
/** `outcome` is a list joined by commas. */
export function commitsSearch(raw: Raw): CommitsSearch {
  const outcomes = list(raw.outcome).filter((item) => (DISPLAYS as readonly string[]).includes(item));
  return { outcome: outcomes.join(",") || undefined, scenario: text(raw.scenario) };
}

export const SCALES = ["absolute", "relative", "log"] as const;
/** Instead of stages: only functions are shown. */
export const NO_STAGES = "-";
/** The longest history a chart shows, in commits. */
export const LONGEST = "10000";

export interface HistorySearch {
  /** Scenarios joined by commas; without it the most telling one. */
  scenario?: string | undefined;
  /** Watched branches joined by commas; without it the default branch. */
  branch?: string | undefined;
  /** One metric; without it the main ones are shown. */
  metric?: string | undefined;
  /** Stages joined by commas; without it all are shown, of several scenarios or branches the chain. */
  stages?: string | undefined;
  /** C functions shown besides, `stage>function` joined by semicolons. */
  functions?: string | undefined;
  host_class?: string | undefined;
  scale?: Scale | undefined;
  /** What `relative` is against: a commit; without it the first. */
  against?: string | undefined;
  /** First and last commit shown; without them all. */
  from?: string | undefined;
  to?: string | undefined;
  /** As many commits as there can be, not only the newest thousand. */
  last?: typeof LONGEST | undefined;
  view?: "chart" | "table" | undefined;
  /** Of the table, from 1. */
  page?: string | undefined;
}
export function historySearch(raw: Raw): HistorySearch {
  return {
    scenario: list(raw.scenario).join(",") || undefined,
    branch: list(raw.branch).join(",") || undefined,
    metric: matching(raw.metric, /^[a-z_]+$/),
    stages: list(raw.stages).join(",") || undefined,
    functions: functionsText(functionsOf(text(raw.functions))),
    host_class: text(raw.host_class),
    scale: oneOf(raw.scale, SCALES),
    against: matching(raw.against, SHA),
    from: matching(raw.from, SHA),
    to: matching(raw.to, SHA),
    last: oneOf(text(raw.last), [LONGEST] as const),
    view: oneOf(raw.view, ["chart", "table"] as const),
    page: matching(raw.page, /^[1-9]\d{0,4}$/),
  };
}

/** The change that shows these functions; without any, stages are shown again. */
export const withFunctions = ({ stages }: HistorySearch, keys: readonly string[]): HistorySearch => ({
  functions: functionsText(keys),
  ...(keys.length === 0 && stages === NO_STAGES ? { stages: undefined } : {}),
});

export interface AlertsSearch {
  /** States joined by commas, or `any`; without it what is open or suspected. */
  state?: string | undefined;
  scenario?: string | undefined;
  assignee?: string | undefined;
  /** Newest first; without it by worth. */
  order?: "new" | undefined;
  /** The dialog that is open. */
  do?: "mute" | undefined;
}
export function alertsSearch(raw: Raw): AlertsSearch {
  const states = list(raw.state).filter((item) => (ALERT_STATES as readonly string[]).includes(item));
  return {
    state: raw.state === "any" ? "any" : states.join(",") || undefined,
    scenario: text(raw.scenario),
    assignee: text(raw.assignee),
    order: oneOf(raw.order, ["new"] as const),
    do: oneOf(raw.do, ["mute"] as const),
  };
}

export const ALERT_DIALOGS = ["expected", "false_alarm", "fixed", "reopened", "mute"] as const;
export type AlertDialog = (typeof ALERT_DIALOGS)[number];
export interface AlertSearch {
  /** The scenario whose evidence is shown; without it the one that moved most. */
  scenario?: string | undefined;
  /** The dialog that is open. */
  do?: AlertDialog | undefined;
}
export const alertSearch = (raw: Raw): AlertSearch => ({
  scenario: text(raw.scenario),
  do: oneOf(raw.do, ALERT_DIALOGS),
});

export const AXES = ["commit", "host", "model", "features"] as const;
/** What the two sides differ in. */
export type Axis = (typeof AXES)[number];

export interface CompareSearch {
  /** Revisions: commits, tags or branches; base is head where the axis is another than the commit. */
  base?: string | undefined;
  head?: string | undefined;
  /** Head's, and base's where base has none of its own. */
  scenario?: string | undefined;
  base_scenario?: string | undefined;
  base_host?: string | undefined;
  head_host?: string | undefined;
  by?: Exclude<Axis, "commit"> | undefined;
  /** How rounds are drawn; ratios without it. */
  rounds?: "cpp" | undefined;
  /** Which cost the flame graph has; instructions without it. */
  cost?: "cycles" | undefined;
  /** The frame it is zoomed to: places among siblings, joined by dots. */
  at?: string | undefined;
  /** The function whose lines are open: stage and name, joined by a slash. */
  fn?: string | undefined;
  /** Whether lines of it that are the same on both sides are shown too; folded without it. */
  lines?: "all" | undefined;
}
export function compareSearch(raw: Raw): CompareSearch {
  return {
    base: text(raw.base),
    head: text(raw.head),
    scenario: text(raw.scenario),
    base_scenario: text(raw.base_scenario),
    base_host: text(raw.base_host),
    head_host: text(raw.head_host),
    by: oneOf(raw.by, ["host", "model", "features"] as const),
    rounds: oneOf(raw.rounds, ["cpp"] as const),
    cost: oneOf(raw.cost, ["cycles"] as const),
    at: text(raw.at),
    fn: text(raw.fn),
    lines: oneOf(raw.lines, ["all"] as const),
  };
}

export interface RunSearch {
  rounds?: "cpp" | undefined;
  /** Whose code is shown: without it functions, else lines of that side. */
  code?: Exclude<CodeView, "functions"> | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  order?: "up" | undefined;
  /** The function whose lines are open, and which of them, as in a comparison. */
  fn?: string | undefined;
  lines?: "all" | undefined;
}
export function runSearch(raw: Raw): RunSearch {
  return {
    rounds: oneOf(raw.rounds, ["cpp"] as const),
    code: oneOf(raw.code, ["head", "base"] as const),
    q: text(raw.q),
    sort: oneOf(raw.sort, ["name", ...Object.keys(FIGURES)]),
    order: oneOf(raw.order, ["up"] as const),
    fn: text(raw.fn),
    lines: oneOf(raw.lines, ["all"] as const),
  };
}

export const BYS = ["commit", "release", "branch"] as const;
/** What NCPP has a point for. */
export type By = (typeof BYS)[number];

export interface FeaturesSearch {
  /** Whose history is shown. */
  feature?: string | undefined;
  by?: By | undefined;
  /** The line of NCPP that is shown. */
  scenario?: string | undefined;
  host_class?: string | undefined;
  view?: "chart" | "table" | undefined;
}
export const featuresSearch = (raw: Raw): FeaturesSearch => ({
  feature: text(raw.feature),
  by: oneOf(raw.by, BYS),
  scenario: text(raw.scenario),
  host_class: text(raw.host_class),
  view: oneOf(raw.view, ["chart", "table"] as const),
});

export interface ModelsSearch {
  /** The furthest measured one without it. */
  commit?: string | undefined;
}
export const modelsSearch = (raw: Raw): ModelsSearch => ({ commit: text(raw.commit) });

export const SPANS = ["30", "90", "365"] as const;
export interface QualitySearch {
  days?: (typeof SPANS)[number] | undefined;
}
export const qualitySearch = (raw: Raw): QualitySearch => ({ days: oneOf(text(raw.days), SPANS) });

export interface QueueSearch {
  project?: string | undefined;
  /** Reasons joined by commas. */
  reason?: string | undefined;
}
export function queueSearch(raw: object): QueueSearch {
  const { project, reason } = raw as Raw;
  const reasons = list(reason).filter((item) => (REASONS as readonly string[]).includes(item));
  return { project: text(project), reason: reasons.join(",") || undefined };
}

export interface MeasureSearch {
  kind?: "one" | "backfill" | "bisect" | undefined;
  head?: string | undefined;
  good?: string | undefined;
  bad?: string | undefined;
  scenario?: string | undefined;
}
export const measureSearch = (raw: Raw): MeasureSearch => ({
  kind: oneOf(raw.kind, ["one", "backfill", "bisect"] as const),
  head: text(raw.head),
  good: text(raw.good),
  bad: text(raw.bad),
  scenario: text(raw.scenario),
});

export const SETTINGS_PARTS = [
  "project",
  "repository",
  "telling",
  "judging",
  "access",
  "storage",
  "audit",
] as const;
export type SettingsPart = (typeof SETTINGS_PARTS)[number];

export const SERVER_PARTS = ["people", "agents", "audit"] as const;
export type ServerPart = (typeof SERVER_PARTS)[number];

export interface HostSearch {
  /** Scenarios of the noise, `project: scenario` joined by commas; without it all. */
  shown?: string | undefined;
}
export const hostSearch = (raw: Raw): HostSearch => ({ shown: text(raw.shown) });

interface AuditSearch {
  who?: string | undefined;
  /** `noun.verb`, or a noun. */
  action?: string | undefined;
}

export interface SettingsSearch extends AuditSearch {
  /** The first one without it. */
  part?: SettingsPart | undefined;
}
export const settingsSearch = (raw: Raw): SettingsSearch => ({
  part: oneOf(raw.part, SETTINGS_PARTS),
  who: text(raw.who),
  action: text(raw.action),
});

export interface ServerSearch extends AuditSearch {
  part?: ServerPart | undefined;
}
export const serverSearch = (raw: Raw): ServerSearch => ({
  part: oneOf(raw.part, SERVER_PARTS),
  who: text(raw.who),
  action: text(raw.action),
});

export interface SignInSearch {
  /** Where to return to. */
  to?: string | undefined;
}
export const signInSearch = (raw: Raw): SignInSearch => ({ to: text(raw.to) });

/** Adds or removes one item of a list joined by commas; undefined when all of `every`, or none, are left. */
export function toggled(
  current: string | undefined,
  item: string,
  every: readonly string[],
): string | undefined {
  const chosen = new Set(current === undefined ? every : list(current));
  if (chosen.has(item)) chosen.delete(item);
  else chosen.add(item);
  if (chosen.size === 0 || every.every((name) => chosen.has(name))) return undefined;
  return every.filter((name) => chosen.has(name)).join(",");
}

/** The chosen items, or all when nothing is chosen. */
export function chosen(current: string | undefined, every: readonly string[]): string[] {
  const wanted = list(current);
  const known = every.filter((name) => wanted.includes(name));
  return known.length > 0 ? known : [...every];
}

interface Measured {
  name: string;
  stages: readonly string[];
  runs: number;
}

/**
 * The scenario of the address, else the most telling one: with most stages, not a floor such as `nop`, and of those
 * the one measured most.
 */
export function currentScenario<T extends Measured>(
  scenarios: readonly T[],
  name: string | undefined,
): T | undefined {
  const richest = [...scenarios].sort((a, b) => b.stages.length - a.stages.length || b.runs - a.runs)[0];
  return scenarios.find((scenario) => scenario.name === name) ?? richest;
}

/** The scenarios of the address, joined by commas, in their order; without any known one the most telling one. */
export function wantedScenarios<T extends Measured>(scenarios: readonly T[], names: string | undefined): T[] {
  const wanted = list(names);
  const known = scenarios.filter((scenario) => wanted.includes(scenario.name));
  const one = currentScenario(scenarios, undefined);
  return known.length > 0 || one === undefined ? known : [one];
}

/** Parses `a=b&c=d`. Values are plain text, so that a commit made of digits is not read as a number. */
export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/** The reverse, with commas left readable. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== "") parameters.set(key, String(value));
  const query = parameters.toString().replaceAll("%2C", ",");
  return query ? `?${query}` : "";
}
