// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { Row } from "../../shared/logic/text/csv";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";

interface Props {
  title: string;
  experiment: number;
  commit: ReactNode;
  hostClass: string | null;
  result: { partial: boolean; taken: number; cells: number };
  rows: () => readonly Row[];
  children: ReactNode;
}

/** What one experiment measured side by side, and whether all of it is there. */
export function ExperimentPanel({ title, experiment, commit, hostClass, result, rows, children }: Props) {
  return (
    <SavedPanel
      title={title}
      name={`experiment-${experiment}`}
      what={`experiment ${experiment}`}
      rows={rows}
      pictured
      aside={
        <span className="soft">
          experiment {experiment} on {commit}
          {hostClass && `, ${hostClass}`}
        </span>
      }
    >
      {result.partial && (
        <p className="held">
          Not all cells gave a ratio: {result.taken} of {result.cells}.
        </p>
      )}
      {children}
    </SavedPanel>
  );
}
