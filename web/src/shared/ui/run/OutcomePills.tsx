// SPDX-License-Identifier: Apache-2.0
import { byUrgency, displayInfo } from "../../logic/run/verdict";

/** "2 regressed, 1 improved, 47 same", the most urgent first. */
export function OutcomePills({ outcomes }: { outcomes: Readonly<Record<string, number>> }) {
  const counted = byUrgency(Object.entries(outcomes).map(([display, count]) => ({ display, count })));
  return counted.map(({ display, count }) => (
    <span key={display} className={`outcome-pill outcome-${display}`}>
      {count} {displayInfo(display).word.toLowerCase()}
    </span>
  ));
}
