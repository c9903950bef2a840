// SPDX-License-Identifier: Apache-2.0
/** Why cycles changed, as far as what was counted tells: the cause, what is below it, and the figures it rests on. */
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Explanation } from "../../shared/api/types";
import { quantityOf } from "../../shared/logic/alerts";
import { change, MISSING, said, signed, significant } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import { NoteList } from "../../shared/ui/NoteList";
import { byChange, type Evidence } from "./evidence";
import { SourceNames } from "./SourceNames";

export function AlertCause({ reported }: { reported: Explanation }) {
  return (
    <>
      <p className="said">{said(reported.text)}</p>
      {reported.share && (
        <p className="soft">
          What counted events can account for is a bound and no measurement: their number times the cycles
          that one costs.
        </p>
      )}
      {(reported.evidence ?? []).length > 0 && <EvidenceTable reported={reported} />}
      {(reported.missing ?? []).length > 0 && (
        <>
          <h3 className="part-head">Further measurements</h3>
          <NoteList notes={reported.missing ?? []} />
        </>
      )}
    </>
  );
}

/** Open at first; the others on request. */
const TOP = 4;

function EvidenceTable({ reported }: { reported: Explanation }) {
  const [whole, setWhole] = useState(false);
  const sorted = byChange(reported.evidence ?? []);
  const rows = whole ? sorted : sorted.slice(0, TOP);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Figures of the cause">
        <table className="table">
          <thead>
            <tr>
              <th className="left">Quantity</th>
              <th>Before</th>
              <th>After</th>
              <th>Change</th>
              <th className="left">Unit</th>
              <th className="left">Counted by</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={`${one.name} ${one.source}`}>
                <th scope="row">{quantityOf(one.name, reported.stage)}</th>
                <td>{shown(one.before)}</td>
                <td>{shown(one.after)}</td>
                <td>{changeOf(one)}</td>
                <td className="left">{one.unit === "1" ? "none" : one.unit}</td>
                <td className="left">
                  <SourceNames of={one.source} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length < sorted.length && (
        <Button size="compact-sm" variant="default" onClick={() => setWhole(true)}>
          Show all {sorted.length} quantities
        </Button>
      )}
    </>
  );
}

const shown = (value: number | null): string => (value === null ? MISSING : significant(value, 3));

const changeOf = ({ before, after }: Evidence): string => {
  if (before === null || after === null) return MISSING;
  return before > 0
    ? `${signed(after - before, 2)} (${change(ratio(after / before))})`
    : signed(after - before, 2);
};
