// SPDX-License-Identifier: Apache-2.0
import type { Decomposition } from "../api/types";
import { cellsOf, MEASURED_SAYS, waterfall } from "../logic/decomposition";
import { DecompositionTable } from "./DecompositionTable";
import { NoteList } from "./NoteList";
import { Panel } from "./Panel";
import { Waterfall } from "./Waterfall";

/** What of the change is efficiency, and what came with other features, traffic or another execution model. */
export function DecompositionPanel({ of }: { of: Decomposition }) {
  const cells = cellsOf(of.stages);
  const notes = of.notes ?? [];
  return (
    <Panel
      title="What the change is made of"
      aside={<span className="soft">cycles per packet; nothing is left over</span>}
    >
      <Waterfall fall={waterfall(of.base_cycles, cells.totals)} of={of} />
      <DecompositionTable cells={cells} />
      <p className="soft small spaced">{MEASURED_SAYS[of.measured]}</p>
      {notes.length > 0 && <NoteList notes={notes} />}
    </Panel>
  );
}
