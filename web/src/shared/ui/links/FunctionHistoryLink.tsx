// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { functionKey } from "../../logic/code/functions";
import { NO_STAGES } from "../../logic/search";

interface Props {
  project: string;
  scenario: string;
  stage: string;
  name: string;
  /** Undefined: that of the newest run. */
  hostClass?: string;
  /** What is pressed; without it the word. */
  children?: ReactNode;
}

/** To the history of one function's cost. */
export function FunctionHistoryLink({
  project,
  scenario,
  stage,
  name,
  hostClass,
  children = "history",
}: Props) {
  return (
    <Link
      to="/p/$project/history"
      params={{ project }}
      search={{
        scenario,
        stages: NO_STAGES,
        functions: functionKey(stage, name),
        ...(hostClass ? { host_class: hostClass } : {}),
      }}
      aria-label={`History of ${name} in ${stage}`}
    >
      {children}
    </Link>
  );
}
