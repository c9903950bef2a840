// SPDX-License-Identifier: Apache-2.0
/** Findings as people read them: what a state means, what may be done in it, how a finding is said. */

import { causeWord } from "./run/verdict";
import { change, changeWithInterval, moment, said, THIN, wordsOf } from "./text/format";
import { known, ratio } from "./text/units";

export const ALERT_STATES = [
  "new",
  "confirmed",
  "acknowledged",
  "reopened",
  "partly_fixed",
  "fixed",
  "expected",
  "false_alarm",
  "dismissed",
] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** Somebody has still to do with it. */
export const OPEN_ALERTS = [
  "confirmed",
  "acknowledged",
  "reopened",
  "partly_fixed",
] as const satisfies AlertState[];
/** Open, and suspected but not yet measured again: what the list shows unless asked otherwise. */
export const ACTIVE_ALERTS = ["new", ...OPEN_ALERTS] as const satisfies AlertState[];

interface StateInfo {
  word: string;
  explanation: string;
}

const STATES: Record<AlertState, StateInfo> = {
  new: {
    word: "Suspected",
    explanation:
      "One measurement found it. The server measures base and head again before it notifies anyone.",
  },
  confirmed: { word: "Confirmed", explanation: "A second measurement confirmed it." },
  acknowledged: { word: "Acknowledged", explanation: "Somebody is working on it." },
  reopened: {
    word: "Reopened",
    explanation: "The regression is present again, or somebody reopened the alert.",
  },
  partly_fixed: {
    word: "Partly fixed",
    explanation: "A later commit fixed a part of it. More than the margin remains, so the alert stays open.",
  },
  fixed: {
    word: "Fixed",
    explanation: "Later commits undid it up to the margin in every scenario, or somebody marked it as fixed.",
  },
  expected: {
    word: "Expected",
    explanation: "The change is within a bound that somebody declared. The history restarts at this commit.",
  },
  false_alarm: {
    word: "False alarm",
    explanation: "Somebody marked it as a false alarm. The noise floor of its series was raised.",
  },
  dismissed: {
    word: "Dismissed",
    explanation: "The second measurement did not confirm it, or the alert was merged into another one.",
  },
};

export const stateInfo = (state: string): StateInfo =>
  Object.hasOwn(STATES, state)
    ? STATES[state as AlertState]
    : { word: state, explanation: "This page is older than the server and does not know this state." };

/** A report that no host could measure again is not confirmed, though its state is that of reports. */
const SEEN_ONCE: StateInfo = {
  word: "Not confirmed",
  explanation: "No host of the pool could measure it again. The alert reports the first measurement.",
};
export const alertInfo = (alert: { state: string; confirmed_at: string | null }): StateInfo =>
  alert.state === "confirmed" && alert.confirmed_at === null ? SEEN_ONCE : stateInfo(alert.state);

export const isOpen = (alert: { state: string }): boolean =>
  (OPEN_ALERTS as readonly string[]).includes(alert.state);
export const isActiveAlert = (alert: { state: string }): boolean =>
  (ACTIVE_ALERTS as readonly string[]).includes(alert.state);

/** The states a person can set, each with its key. The server says which of them an alert may become. */
export const TRIAGE = [
  { state: "acknowledged", key: "a", word: "Acknowledge", form: false },
  { state: "expected", key: "e", word: "Expected…", form: true },
  { state: "false_alarm", key: "f", word: "False alarm…", form: true },
  { state: "fixed", key: "x", word: "Fixed…", form: true },
  { state: "reopened", key: "r", word: "Reopen…", form: true },
] as const;
export type Triage = (typeof TRIAGE)[number];
export type TriageState = Triage["state"];

export const triageOf = (alert: { may_become: readonly string[] }): Triage[] =>
  TRIAGE.filter(({ state }) => alert.may_become.includes(state));

export interface AlertLike {
  kind: string | null;
  scenario: string | null;
  scenarios: readonly string[];
  metric: string | null;
  metric_title: string | null;
  ratio: number | null;
  bound: number | null;
  stage: string | null;
  function?: string | null;
}

/** "sfc_a and 2 more scenarios". */
function places(alert: AlertLike, nameOf = (scenario: string): string => scenario): string {
  const others = alert.scenarios.filter((name) => name !== alert.scenario).length;
  const first = alert.scenario === null ? "an unknown scenario" : nameOf(alert.scenario);
  return others === 0 ? first : `${first} and ${others} more ${others === 1 ? "scenario" : "scenarios"}`;
}

/** "+12.1 % cycles per packet in sfc_a and 2 more scenarios". */
export function headline(alert: AlertLike): string {
  if (alert.kind === "broken") return `Broken in ${places(alert)}`;
  const size = alert.ratio === null ? "A change of" : change(ratio(alert.ratio));
  return `${size} ${metricWords(alert)} in ${places(alert)}`;
}

const METRICS: Record<string, string> = {
  cpp: "cycles per packet",
  ipp: "instructions per packet",
  eipc: "eIPC",
  pps: "packets per second",
};
const metricWords = ({ metric, metric_title }: AlertLike): string =>
  METRICS[metric ?? "cpp"] ??
  (metric_title ?? metric ?? "").replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

/** The headline of an alert in a list, with its size next to it: "nat, find_together: slower in 512B". What tells
 * alerts apart comes first, since the end is cut. nameOf: a name for the scenario within the list. */
export function rowHeadline(alert: AlertLike, nameOf: (scenario: string) => string): string {
  const where = places(alert, nameOf);
  if (alert.kind === "broken") return `Broken in ${where}`;
  const pays = alert.stage === "chain" ? null : [alert.stage, alert.function].filter(Boolean).join(", ");
  const size = alert.ratio ?? 1;
  const what = alert.metric === "cpp" ? (size >= 1 ? "slower" : "faster") : `${metricWords(alert)} changed`;
  const sentence = `${what} in ${where}`;
  return pays ? `${pays}: ${sentence}` : sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Names of at most so many letters are shown whole. */
const SHORT = 20;
/** A part of a name says something from so many letters on. */
const MEANINGFUL = 3;

/** Short names within a list of scenarios: without the words with which all of them begin, or end. */
export function shortNames(names: readonly string[]): (name: string) => string {
  const every = [...new Set(names)].map((name) => name.split("_"));
  const shortest = Math.min(...every.map((words) => words.length));
  const common = (from: "start" | "end", most: number): number => {
    const at = (words: string[], place: number) => words[from === "start" ? place : words.length - 1 - place];
    let count = 0;
    while (count < most && every.every((words) => at(words, count) === at(every[0] ?? [], count))) count += 1;
    return count;
  };
  if (every.length < 2 || names.every((name) => name.length <= SHORT)) return (name) => name;
  const start = common("start", shortest - 1);
  const end = common("end", shortest - 1 - start);
  const cut = (words: readonly string[]): string => words.slice(start, words.length - end).join("_");
  if (every.some((words) => cut(words).length < MEANINGFUL)) return (name) => name;
  return (name) => {
    const words = name.split("_");
    return words.length > start + end ? cut(words) : name;
  };
}

/** Metrics that stages share; others are of the whole NF, or of its build. */
const OF_STAGES = /^(cpp|ncpp|ipp|eipc|pps)$/;

/** Whether it is of the chain, and no stage alone moved. */
export const isOfChain = ({ stage, metric }: Pick<AlertLike, "stage" | "metric">): boolean =>
  stage === "chain" && (metric === null || OF_STAGES.test(metric));

/** Where the time goes, never which edit is at fault: "time goes into nat, find_together". Null: not known. */
export function paying(alert: AlertLike): string | null {
  if (alert.kind === "broken" || alert.stage === null) return null;
  if (isOfChain(alert)) return "time goes into the chain as a whole, no stage alone";
  if (alert.stage === "chain") return null;
  return `time goes into ${[alert.stage, alert.function].filter(Boolean).join(", ")}`;
}

interface RecoveryLike {
  scenario: string;
  /** Of a figure of a run under load; else these are cycles. */
  title?: string | null;
  /** Ratios of what is better when it is higher are inverted: above 1 is worse. */
  better?: string;
  lost: number;
  remains: number;
  low?: number | null;
  high?: number | null;
  level?: number | null;
  direct: boolean;
}

/** Of a finding's scenarios, the one in which most remains after its fixes. Null: no fix was seen. */
export const mostRemains = <T extends { remains: number }>(
  recovery: readonly T[] | null | undefined,
): T | null =>
  (recovery ?? []).reduce<T | null>(
    (most, one) => (most === null || one.remains > most.remains ? one : most),
    null,
  );

/** "recovered 7.1 of 11.6 %, remains +4.5 % [-3.2, +12.8]": both of the cycles before the regression, or of the
 * figure, which is named. */
export function recoveryText(one: RecoveryLike): string {
  const inverted = one.better === "higher";
  const own = (worse: number): number => (inverted ? 1 / worse : worse);
  const share = (value: number): string => Math.abs(value * 100).toFixed(1);
  const [low, high] = (inverted ? [one.high, one.low] : [one.low, one.high]).map((end) => known(end, own));
  const [lost, remains] = [own(one.lost), own(one.remains)];
  const left = changeWithInterval(ratio(remains), known(low, ratio), known(high, ratio));
  const named = one.title ? `${one.title}: ` : "";
  return `${named}recovered ${share(lost - remains)} of ${share(lost - 1)}${THIN}%, remains ${left}`;
}

/** What the figure rests on. */
export function recoveryBasis(one: RecoveryLike): string {
  if (one.direct) return "the last good commit and the fix, measured side by side";
  const from =
    "computed from the run of the regression and the run of the fix; commits in between are ignored";
  return one.level == null
    ? from
    : `${from}; interval at ${Number((one.level * 100).toPrecision(4))}${THIN}%`;
}

/** "undoes 0862602, remains +0.3 %". Null recovery: only that it is one. */
export const fixWords = (
  recovery: (Pick<RecoveryLike, "remains" | "better"> & { margin: number }) | null,
): string =>
  recovery === null
    ? "at least half"
    : `${recovery.remains <= 1 + recovery.margin ? "" : "in part, "}remains ${change(ratio(recovery.better === "higher" ? 1 / recovery.remains : recovery.remains))}`;

/** Who heard of a step, if anybody could. */
export function messagesText(messages: number | null): string {
  if (messages === null) return "in the feed";
  if (messages === 0) return "in the feed; no integration subscribes to it";
  return `sent: ${messages} ${messages === 1 ? "message" : "messages"}`;
}

/** "expected up to +3.0 %", when something was declared. */
export const boundText = (alert: AlertLike): string | null =>
  alert.bound === null ? null : `expected up to ${change(ratio(alert.bound))}`;

const DETAILS: Record<string, string> = {
  tlb: "TLB misses",
  cache: "data cache misses",
  instruction_cache: "instruction cache misses",
  branches: "mispredicted branches",
  waiting: "waiting for other lcores",
  serialising: "serialising instructions",
  atomics: "atomic instructions",
  store_forwarding: "loads that wait for narrower stores",
  sharing: "lines that lcores share",
  dependencies: "instructions that wait for each other",
  division: "divisions or square roots",
  unknown: "reason not known",
};
/** The cause below the cause as words; null: not told. */
export const detailWord = (detail: string | null | undefined): string | null =>
  detail ? (DETAILS[detail] ?? detail.replaceAll("_", " ")) : null;

/** Why, in few words: "more instructions", "pipeline use, data cache misses". Null: not told, or it broke. */
export function whyWords(alert: {
  kind: string | null;
  cause: string | null;
  detail: string | null;
}): string | null {
  if (alert.kind === "broken") return null;
  const [cause, detail] = [causeWord(alert.cause), detailWord(alert.detail)];
  const said = cause !== null && detail?.includes(cause) ? [detail] : [cause, detail];
  return said.filter(Boolean).join(", ") || null;
}

const CACHES: Record<string, string> = {
  l1d: "L1d",
  l1i: "L1i",
  l2: "L2",
  ll: "last-level",
  llc: "last-level",
  dtlb: "data TLB",
};
/** A quantity as a person reads it, its unit beside it: "chain CPP", "L1d misses". */
export const quantityWord = (name: string): string =>
  name
    .replace(/_per_packet$/, "")
    .replace("branch_misses", "branch_mispredictions")
    .replaceAll("_", " ")
    .replace(/^\w+/, (word) => CACHES[word] ?? word)
    .replace(/\b(cpp|ipp|tlb)\b/g, (word) => word.toUpperCase())
    .replace(/\beipc\b/, "eIPC");

/** With the stage whose it is: "nat CPP". What is the chain's or a function's says so itself. */
export const quantityOf = (name: string, stage: string | null | undefined): string =>
  stage && /^(cpp|ipp|eipc)$/.test(name) ? `${stage} ${quantityWord(name)}` : quantityWord(name);

const FATES: Record<string, string> = {
  alert: "part of the alert",
  muted: "muted",
  expected: "within the declared bound",
  below_floor: "below the noise floor from false alarms",
};
export const fateWord = (fate: string): string => FATES[fate] ?? fate;

/** Per cent as a person types it to the ratio after / before; null: not a number that can be meant. */
export function boundOf(percent: number | string): number | null {
  const value =
    typeof percent === "number"
      ? percent
      : Number.parseFloat(percent.trim().replace("%", "").replace("\u2212", "-"));
  return Number.isFinite(value) && value > -100 && value <= 9_900 ? 1 + value / 100 : null;
}

/** |ln ratio| at the edge of drawn intervals, common to a list. */
export function reachOf(ratios: readonly (number | null | undefined)[]): number {
  const sizes = ratios.map((one) => Math.abs(Math.log(one || 1)) * 1.25);
  return Math.min(Math.max(0.05, ...sizes), 0.5);
}

/** How long a mute holds, in days; `0`: until somebody ends it. */
export const MUTE_FOR: { value: string; label: string }[] = [
  { value: "1", label: "A day" },
  { value: "7", label: "A week" },
  { value: "30", label: "30 days" },
  { value: "0", label: "Until it is removed" },
];

const DAY_MS = 86_400_000;
export const muteUntil = (days: string, now: number): string | null =>
  days === "0" ? null : new Date(now + Number(days) * DAY_MS).toISOString();

/** States of an address: none given is what is open or suspected, `any` is all of them. */
export function chosenStates(given: string | undefined): AlertState[] {
  if (given === undefined) return [...ACTIVE_ALERTS];
  if (given === "any") return [...ALERT_STATES];
  const requested = given.split(",");
  return ALERT_STATES.filter((one) => requested.includes(one));
}

/** The address after one state was taken off or brought back. */
export function toggledState(given: string | undefined, state: AlertState): string | undefined {
  const before = chosenStates(given);
  const after = ALERT_STATES.filter((one) => (one === state) !== before.includes(one));
  if (after.length === ALERT_STATES.length) return "any";
  return after.length === 0 || after.join() === ACTIVE_ALERTS.join() ? undefined : after.join(",");
}

const PLANS: Record<string, string> = {
  waiting: "Waiting for confirmation",
  measuring: "Confirmation is running",
  bisecting: "Bisection is running",
  confirmed: "Confirmed",
  dismissed: "Not confirmed",
  inconclusive: "Confirmation was inconclusive",
  closed: "Closed before confirmation",
};

interface PlanLike {
  state: string;
  why: string | null;
}

/** Not begun, and the finding is over: nothing of it is to be measured again. */
export const isCalledOff = (alert: { state: string }, plan: { state: string }): boolean =>
  plan.state === "waiting" && !isActiveAlert(alert);

/** Reported without a second measurement, as the server's reason says. */
const isSeenOnce = (plan: PlanLike): boolean =>
  plan.state === "confirmed" && plan.why?.startsWith("as first seen") === true;

function planWord(alert: { state: string }, plan: PlanLike): string {
  const state = isCalledOff(alert, plan) ? "closed" : plan.state;
  return isSeenOnce(plan) ? "Not measured again" : (PLANS[state] ?? state);
}

/** How far measuring a finding again is, and why, each said once. */
export function planText(alert: { state: string }, plan: PlanLike): string {
  const word = planWord(alert, plan);
  if (isCalledOff(alert, plan)) return `${word}: it is ${stateInfo(alert.state).word.toLowerCase()}`;
  const reported = plan.why === null || plan.why.toLowerCase() === word.toLowerCase();
  return reported ? word : `${word}: ${said(plan.why ?? "")}`;
}

/** When a second measurement confirmed a finding; until then, how far that is. */
export function confirmedText(alert: {
  state: string;
  confirmed_at: string | null;
  confirming: PlanLike | null;
}): string {
  if (alert.confirmed_at !== null) return moment(alert.confirmed_at);
  if (alert.confirming === null) return "not measured again";
  return planWord(alert, alert.confirming).toLowerCase();
}

const LOOKED: Record<string, string> = {
  same: "on the same host",
  other: "on another host",
  instead: "on another host, because the first one is offline",
  bisect: "commits in between, by bisection",
};
/** How a finding was looked at again. */
export const hostChoiceWord = (remeasurement: string): string => LOOKED[remeasurement] ?? remeasurement;

interface StepLike {
  state: string;
  at: string;
  who: string | null;
  why: string;
  notified: boolean;
  messages: number | null;
}
interface CommentLike {
  id: number;
  at: string;
  who: string;
  text: string;
}
export interface TrailEntry {
  key: string;
  at: string;
  who: string | null;
  /** Null: a comment. */
  state: string | null;
  text: string;
  notified: boolean;
  /** To how many integrations it was sent; null: to none, or not counted. */
  messages: number | null;
}

/** Steps and comments as one story, oldest first. */
export function inTime(steps: readonly StepLike[], comments: readonly CommentLike[]): TrailEntry[] {
  const reported = [
    ...steps.map((one, place) => ({ ...one, key: `s${place}`, text: one.why })),
    ...comments.map((one) => ({ ...one, key: `c${one.id}`, state: null, notified: false, messages: null })),
  ];
  return reported.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Why an alert is in its state, in the words of who set it. */
export function reasonText(alert: { reason: string | null; history: readonly StepLike[] }): string {
  const step = alert.history.findLast((one) => one.why === alert.reason);
  return wordsOf(step?.who ?? null, alert.reason ?? "");
}

interface MoveLike {
  scenario: string;
  host_class: string;
  run_id: string | null;
  metric: string;
  ratio: number | null;
}

const CYCLES = "cpp";
const sizeOf = ({ ratio }: MoveLike): number =>
  ratio ? Math.abs(Math.log(ratio)) : Number.POSITIVE_INFINITY;

/** The run, the host class and the metric that show a scenario's part of a finding: cycles if they moved, else what
 * moved most. */
export function evidenceOf(
  moves: readonly MoveLike[],
  scenario: string,
): { runId: string | null; hostClass: string | undefined; metric: string } {
  const own = moves.filter((one) => one.scenario === scenario);
  const one = own.find((move) => move.run_id !== null) ?? own[0];
  const [most] = [...own].sort((a, b) => sizeOf(b) - sizeOf(a));
  const metric = own.some((move) => move.metric === CYCLES) ? CYCLES : (most?.metric ?? CYCLES);
  return { runId: one?.run_id ?? null, hostClass: one?.host_class, metric };
}
