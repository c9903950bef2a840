// SPDX-License-Identifier: Apache-2.0
import { useRef } from "react";
import type { Decomposition } from "../../shared/api/types";
import { signed } from "../../shared/logic/text/format";
import { partsFile } from "../../shared/logic/text/tableFiles";
import { NoteList } from "../../shared/ui/NoteList";
import { Panel } from "../../shared/ui/Panel";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { DecompositionTable } from "./DecompositionTable";
import { cellsOf, MEASURED_SAYS, PART_SAYS, waterfall, wholePart } from "./decomposition";
import { Waterfall } from "./Waterfall";

/** What of the change is efficiency, and what came with other features, traffic or another execution model. */
export function DecompositionPanel({ of }: { of: Decomposition }) {
  const picture = useRef<HTMLDivElement>(null);
  const cells = cellsOf(of.stages);
  const notes = of.notes ?? [];
  const whole = wholePart(cells.totals);
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
            picture={whole === null ? picture : undefined}
            drawn="page"
          />
        </span>
      }
    >
      {whole !== null ? (
        <p>
          All of it is {PART_SAYS[whole].word.toLowerCase()}, {signed(cells.total, 2)} cycles per packet, as
          the stages have it. <span className="soft">{PART_SAYS[whole].sentence}</span>
        </p>
      ) : (
        <>
          <div ref={picture}>
            <Waterfall fall={waterfall(of.base_cycles, cells.totals)} of={of} />
          </div>
          <DecompositionTable cells={cells} />
        </>
      )}
      <p className="soft small spaced">{MEASURED_SAYS[of.measured]}</p>
      {notes.length > 0 && <NoteList notes={notes} />}
    </Panel>
  );
}
