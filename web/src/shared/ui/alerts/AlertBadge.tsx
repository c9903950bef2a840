// SPDX-License-Identifier: Apache-2.0
import { alertInfo, stateInfo } from "../../logic/alerts";
import { Help } from "../Help";
import { Icon, type IconName } from "../Icon";

const ICONS: Record<string, IconName> = {
  new: "inconclusive",
  confirmed: "invalid",
  acknowledged: "clock",
  reopened: "invalid",
  partly_fixed: "fix",
  fixed: "fix",
  expected: "check",
  false_alarm: "broken",
  dismissed: "same",
};

/** State of a finding as icon and word in its colour, with its meaning on hover or press. */
export function AlertBadge({ alert }: { alert: { state: string; confirmed_at: string | null } }) {
  const { state } = alert;
  const info = alertInfo(alert);
  return (
    <Help className={`verdict alert-${state}`} text={info.explanation}>
      <Icon name={ICONS[state] ?? "inconclusive"} />
      {info.word}
    </Help>
  );
}

/** The same without the explanation, for where nothing may be pressed. */
export function AlertWord({ state }: { state: string }) {
  return (
    <span className={`verdict alert-${state}`} style={{ cursor: "default" }}>
      <Icon name={ICONS[state] ?? "inconclusive"} />
      {stateInfo(state).word}
    </span>
  );
}
