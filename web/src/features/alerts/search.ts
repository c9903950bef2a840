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

export const alertsSearch = v.object({
  /** States joined by commas, or `any`; without it what is open or suspected. */
  state: readAs(states),
  scenario: text,
  assignee: text,
  /** Newest first; without it by severity. */
  order: oneOf(["new"]),
  /** The dialog that is open. */
  do: oneOf(["mute"]),
});
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
