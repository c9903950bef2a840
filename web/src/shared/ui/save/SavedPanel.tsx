// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useRef } from "react";
import type { Row } from "../../logic/text/csv";
import { Panel } from "../Panel";
import { ExportButtons } from "./ExportButtons";

interface Props {
  title: string;
  aside: ReactNode;
  /** Of the files, without ending. */
  name: string;
  what: string;
  /** Undefined: there is nothing to save. */
  rows: (() => readonly Row[]) | undefined;
  /** What stands in it can be saved as a picture too. */
  pictured?: boolean;
  children: ReactNode;
}

/** A panel to look at and to take away. */
export function SavedPanel({ title, aside, name, what, rows, pictured = false, children }: Props) {
  const picture = useRef<HTMLDivElement>(null);
  return (
    <Panel
      title={title}
      body={picture}
      aside={
        <span className="panel-tools">
          {aside}
          {rows && (
            <ExportButtons
              name={name}
              what={what}
              rows={rows}
              picture={pictured ? picture : undefined}
              drawn="page"
            />
          )}
        </span>
      }
    >
      {children}
    </Panel>
  );
}
