// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { Panel } from "./Panel";

interface Props {
  title: string;
  experiment: number;
  commit: ReactNode;
  hostClass: string | null;
  result: { partial: boolean; taken: number; cells: number };
  children: ReactNode;
}

/** What one experiment measured side by side, and whether all of it is there. */
export function SideBySide({ title, experiment, commit, hostClass, result, children }: Props) {
  return (
    <Panel
      title={title}
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
    </Panel>
  );
}
