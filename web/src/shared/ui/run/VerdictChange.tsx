// SPDX-License-Identifier: Apache-2.0
/** What a verdict in a list is about: the change with its interval, the price of a feature, or equal code. */
import type { ReactNode } from "react";
import type { VerdictBrief } from "../../api/types";
import { ChangeText, changeAt, changeOfRun, named, PriceText } from "./ChangeText";

interface Props {
  sha: string;
  verdict: VerdictBrief;
  /** Drawn below a change. */
  children?: ReactNode;
}

export function VerdictChange({ sha, verdict, children }: Props) {
  if (verdict.unchanged) return <span className="soft">same code as its base</span>;
  if (verdict.display === "feature" && verdict.price_cycles_per_packet !== null)
    return (
      <>
        <PriceText
          cycles={verdict.price_cycles_per_packet}
          low={verdict.price_low}
          high={verdict.price_high}
          run={verdict.run_id}
        />
        <span className="commit-meta">price of {featuresOf(verdict)}</span>
      </>
    );
  if (verdict.ratio_cpp === null) return null;
  return (
    <>
      <ChangeText
        of={verdict}
        quantity={named(changeOfRun(verdict.run_id), changeAt(sha, verdict.scenario))}
      />
      {children}
    </>
  );
}

/** "the feature", or "the features" if one run has the price of several together. */
const featuresOf = ({ features_added, features_removed }: VerdictBrief): string =>
  features_added.length + features_removed.length > 1 ? "the features" : "the feature";
