// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { ALERT_STATES } from "../../shared/logic/alerts";
import { oneOf, readAs, text } from "../../shared/logic/search";

const KNOWN: readonly string[] = ALERT_STATES;

const states = (value: string): string =>
  value === "any"
    ? value
    : value
        .split(",")
        .filter((state) => KNOWN.includes(state))
        .join(",");

export const AGES = ["day", "week", "month", "older"] as const;
export type Age = (typeof AGES)[number];

export const alertsSearch = v.object({
  /** States joined by commas, or `any`; without it what is open or suspected. */
  state: readAs(states),
  scenario: text,
  assignee: text,
  stage: text,
  author: text,
  /** Words that must occur. */
  q: text,
  /** At least or at most so old. */
  age: oneOf(AGES),
  /** Newest first; without it by severity. */
  order: oneOf(["new"]),
  /** The dialog that is open. */
  do: oneOf(["mute"]),
});
/** The earliest and the latest time at which an alert of this age was made, to the minute, as the query's key. */
export function ageBounds(age: Age | undefined, now: number): { since?: string; until?: string } {
  const minute = Math.floor(now / 60_000) * 60_000;
  const before = (days: number): string => new Date(minute - days * 86_400_000).toISOString();
  if (age === undefined) return {};
  if (age === "older") return { until: before(30) };
  return { since: before({ day: 1, week: 7, month: 30 }[age]) };
}

export type AlertsSearch = v.InferInput<typeof alertsSearch>;

export const ALERT_DIALOGS = ["expected", "false_alarm", "fixed", "reopened", "mute"] as const;
export type AlertDialog = (typeof ALERT_DIALOGS)[number];

export const alertSearch = v.object({
  /** The scenario whose evidence is shown; without it the one that moved most. */
  scenario: text,
  /** The dialog that is open. */
  do: oneOf(ALERT_DIALOGS),
});
export type AlertSearch = v.InferInput<typeof alertSearch>;
