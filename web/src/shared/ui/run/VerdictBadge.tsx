// SPDX-License-Identifier: Apache-2.0
import { displayInfo } from "../../logic/run/verdict";
import { Help } from "../Help";
import { Icon, isIconName } from "../Icon";

/** A verdict as icon and word in its colour, with its meaning on hover or press. */
export function VerdictBadge({ display }: { display: string }) {
  const info = displayInfo(display);
  return (
    <Help className={`verdict verdict-${display}`} text={info.explanation}>
      <VerdictIcon display={display} />
      {info.word}
    </Help>
  );
}

/** The same without the explanation, for where nothing may be pressed or it is explained beside it. */
export function VerdictWord({ display }: { display: string }) {
  return (
    <span className={`verdict verdict-${display}`} style={{ cursor: "default" }}>
      <VerdictIcon display={display} />
      {displayInfo(display).word}
    </span>
  );
}

/** The icon alone, for where the word stands beside it anyway. */
export function VerdictIcon({ display }: { display: string }) {
  return <Icon name={isIconName(display) ? display : "inconclusive"} />;
}
