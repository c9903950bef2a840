// SPDX-License-Identifier: Apache-2.0
import { useRef } from "react";
import type { Decomposition } from "../../shared/api/types";
import { partsFile } from "../../shared/logic/text/tableFiles";
import { NoteList } from "../../shared/ui/NoteList";
import { Panel } from "../../shared/ui/Panel";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { DecompositionTable } from "./DecompositionTable";
import { cellsOf, MEASURED_SAYS, waterfall } from "./decomposition";
import { Waterfall } from "./Waterfall";

/** What of the change is efficiency, and what came with other features, traffic or another execution model. */
export function DecompositionPanel({ of }: { of: Decomposition }) {
  const picture = useRef<HTMLDivElement>(null);
  const cells = cellsOf(of.stages);
  const notes = of.notes ?? [];
  return (
    <Panel
      title="Decomposition of the change"
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
