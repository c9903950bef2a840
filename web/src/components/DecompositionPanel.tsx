// SPDX-License-Identifier: Apache-2.0
import { useRef } from "react";
import type { Decomposition } from "../api/types";
import { cellsOf, MEASURED_SAYS, waterfall } from "../logic/decomposition";
import { partsFile } from "../logic/tableFiles";
import { DecompositionTable } from "./DecompositionTable";
import { ExportButtons } from "./ExportButtons";
import { NoteList } from "./NoteList";
import { Panel } from "./Panel";
import { Waterfall } from "./Waterfall";

/** What of the change is efficiency, and what came with other features, traffic or another execution model. */
export function DecompositionPanel({ of }: { of: Decomposition }) {
  const picture = useRef<HTMLDivElement>(null);
  const cells = cellsOf(of.stages);
  const notes = of.notes ?? [];
  return (
    <Panel
      title="What the change is made of"
      aside={
        <span className="panel-tools">
          <span className="soft">cycles per packet; nothing is left over</span>
          <ExportButtons
            name="parts-of-the-change"
            what="the parts of the change"
            rows={() => partsFile(of.stages)}
            picture={picture}
            drawn="page"
          />
        </span>
      }
    >
      <div ref={picture}>
        <Waterfall fall={waterfall(of.base_cycles, cells.totals)} of={of} />
      </div>
      <DecompositionTable cells={cells} />
      <p className="soft small spaced">{MEASURED_SAYS[of.measured]}</p>
      {notes.length > 0 && <NoteList notes={notes} />}
    </Panel>
  );
}
