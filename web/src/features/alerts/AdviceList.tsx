// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from "../../shared/api/types";
import { said } from "../../shared/logic/text/format";
import { TuningName } from "../../shared/ui/TuningName";

type Advice = NonNullable<Explanation["advice"]>[number];

/** Practices whose conditions are met, the most specific first, each with what made it fire. */
export function AdviceList({ advice }: { advice: readonly Advice[] }) {
  return (
    <ol className="advice">
      {advice.map((one) => (
        <li key={one.rule}>
          <strong>{one.title}</strong> <TuningName of={one.direction} tag />
          <p>{said(one.text)}</p>
          <p className="soft">
            Because {one.because.join("; ")}. <span className="below">{one.source}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}
