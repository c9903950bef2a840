// SPDX-License-Identifier: Apache-2.0
/** What happened along a history besides verdicts: changes of level, new segments, findings and their fixes. */
import { stateInfo } from "../alerts";
import { displayInfo } from "../run/verdict";
import { change, changeWithInterval, shortSha } from "../text/format";
import { ratio } from "../text/units";
import type { Mark } from "./history";

interface PointLike {
  sha: string;
}
interface ChangePointLike {
  id: number;
  kind: string;
  sha: string;
  low_sha: string;
  high_sha: string;
  stage: string;
  ratio: number;
  direction: string;
  probability: number;
  state: string;
  alert_id: number | null;
  significant: boolean;
  large: boolean;
  relevant: boolean;
  remeasured?: { outcome: string | null } | null;
}
interface SegmentLike {
  sha: string;
  kind: string;
  changes: readonly { field: string; base: string; head: string }[];
}
interface AlertLike {
  id: number;
  sha: string;
  state: string;
  /** The last commit that took back a part of it. */
  fixed_by_sha?: string | null;
  /** What moved most. */
  metric?: string | null;
  metric_title?: string | null;
}
interface EnvironmentLike extends Omit<SegmentLike, "kind"> {
  stage: string;
  ratio: number;
  low: number | null;
  high: number | null;
}
export interface EventsLike {
  change_points?: readonly ChangePointLike[];
  environments?: readonly EnvironmentLike[];
  segments?: readonly SegmentLike[];
}

/** A change of level that is no longer claimed is not drawn. */
const claimed = (one: ChangePointLike): boolean => one.state !== "withdrawn";
/** Those that hold among all series and are of a size that matters are drawn, the others are told in the table. */
const notable = (one: ChangePointLike): boolean => claimed(one) && one.significant && one.large;
const shown = (alert: AlertLike): boolean => alert.state !== "dismissed";

/** Commits are compared by so many digits: long histories have no more of each. */
const DIGITS = 12;
const key = (sha: string): string => sha.slice(0, DIGITS);

/** Marks for a chart, one of a kind at a commit. */
export function eventMarks(
  points: readonly PointLike[],
  of: EventsLike,
  alerts: readonly AlertLike[],
): Mark[] {
  const places = new Map(points.map((point, index) => [key(point.sha), index]));
  const at = (display: string, sha: string): Mark[] => {
    const index = places.get(key(sha));
    return index === undefined ? [] : [{ index, display }];
  };
  const found = [
    ...(of.segments ?? []).flatMap((one) => at("segment", one.sha)),
    ...(of.environments ?? []).flatMap((one) => at("environment", one.sha)),
    ...(of.change_points ?? [])
      .filter(notable)
      .flatMap((one) => at(one.direction === "better" ? "level_better" : "level_worse", one.sha)),
    ...alerts.filter(shown).flatMap((one) => at("alert", one.sha)),
    ...alerts.filter(shown).flatMap((one) => (one.fixed_by_sha ? at("fix", one.fixed_by_sha) : [])),
  ];
  const keys = found.map((mark) => `${mark.index} ${mark.display}`);
  return found.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

export interface HistoryEvent {
  key: string;
  kind: "alert" | "fix" | "change" | "segment" | "environment";
  text: string;
  alertId: number | null;
}

const SEGMENTS: Record<string, string> = {
  environment: "the host or the compiler changed",
  load: "the scenario's load changed",
  features: "features were added or removed",
  expected: "somebody declared a change",
};

/** "alert 7 (Build time)", since the chart may be of another metric; of cycles only "alert 7". */
const alertName = ({ id, metric, metric_title }: AlertLike, word: string): string =>
  `${word} ${id}${metric_title && metric !== "cpp" ? ` (${metric_title})` : ""}`;

/** What happened at one commit, as text: findings first. */
export function eventsAt(sha: string, of: EventsLike, alerts: readonly AlertLike[]): HistoryEvent[] {
  return [
    ...alerts
      .filter((one) => key(one.sha) === key(sha))
      .map((one) => ({
        key: `a${one.id}`,
        kind: "alert" as const,
        text: `${alertName(one, "Alert")}, ${stateInfo(one.state).word.toLowerCase()}`,
        alertId: one.id,
      })),
    ...alerts
      .filter((one) => one.fixed_by_sha && key(one.fixed_by_sha) === key(sha))
      .map((one) => ({
        key: `f${one.id}`,
        kind: "fix" as const,
        text: `Fixes ${one.state === "fixed" ? "" : "a part of "}${alertName(one, "alert")}`,
        alertId: one.id,
      })),
    ...(of.change_points ?? [])
      .filter((one) => key(one.sha) === key(sha) && claimed(one))
      .map((one) => ({
        key: `c${one.id}`,
        kind: "change" as const,
        text: `${one.stage} ${movedText(one)}${qualified(one)}`,
        alertId: one.alert_id,
      })),
    ...environmentsAt(sha, of.environments ?? []),
    ...(of.segments ?? [])
      .filter((one) => key(one.sha) === key(sha))
      .map((one) => ({
        key: `s${one.kind}`,
        kind: "segment" as const,
        text: segmentText(one),
        alertId: null,
      })),
  ];
}

const SUSPICIONS = new Set(["suspected", "discarded"]);
const REMEASURED: Record<string, string> = {
  held: "measured again: it holds",
  discarded: "measured again: it does not show",
  undecided: "measured again: undecided, the next commits decide",
  not_measured: "not measured again",
};

/** Whether it counts; of what the newest commit alone showed, what measuring it again said. */
function qualified(one: ChangePointLike): string {
  const again = one.remeasured ? (REMEASURED[one.remeasured.outcome ?? ""] ?? "being measured again") : null;
  if (SUSPICIONS.has(one.state))
    return `, suspected by its newest commits alone; ${again ?? "the next commits decide"}`;
  if (again !== null) return `; ${again}`;
  return one.significant && one.large ? "" : ", too little to count";
}

function movedText(one: ChangePointLike): string {
  const size = change(ratio(one.ratio));
  if (one.kind !== "drift") return `moved by ${size}`;
  return `drifted by ${size} from ${shortSha(one.low_sha)} to ${shortSha(one.high_sha)}`;
}

/** Of the chain, or of the only stage shown: all stages of a host move with it. */
function environmentsAt(sha: string, all: readonly EnvironmentLike[]): HistoryEvent[] {
  const here = all.filter((one) => key(one.sha) === key(sha));
  const one = here.find((each) => each.stage === "chain") ?? here[0];
  return one ? [{ key: "e", kind: "environment" as const, text: environmentText(one), alertId: null }] : [];
}

/** What another host or compiler does to figures as measured. */
export function environmentText(one: EnvironmentLike): string {
  const size =
    one.low === null || one.high === null
      ? `${change(ratio(one.ratio))}, of too few runs for an interval,`
      : changeWithInterval(ratio(one.ratio), ratio(one.low), ratio(one.high));
  return `Another environment: ${size} in ${one.stage} as measured${changesText(one.changes)}`;
}

const MOST_SHOWN = 4;

function changesText(changes: SegmentLike["changes"]): string {
  const reported = changes
    .slice(0, MOST_SHOWN)
    .map(
      ({ field, base, head }) => `${field.replaceAll("_", " ")} ${[base, head].filter(Boolean).join(" → ")}`,
    );
  const more = changes.length > MOST_SHOWN ? ` and ${changes.length - MOST_SHOWN} more` : "";
  return reported.length > 0 ? ` (${reported.join("; ")}${more})` : "";
}

export function segmentText(one: SegmentLike): string {
  const why = SEGMENTS[one.kind] ?? one.kind;
  return `The history restarts: ${why}${changesText(one.changes)}`;
}

const MARK_WORDS: Record<string, string> = {
  alert: "Alert",
  fix: "Fix of an alert",
  level_worse: "Worse since this commit",
  level_better: "Better since this commit",
  segment: "History restarts",
  environment: "Another environment",
  release: "Release",
};
export const markWord = (display: string): string => MARK_WORDS[display] ?? displayInfo(display).word;
