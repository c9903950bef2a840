// SPDX-License-Identifier: Apache-2.0
/** Why cycles changed, as far as what was counted tells: the cause, what is below it, and the figures it rests on. */
import type { Explanation } from "../../shared/api/types";
import { quantityOf } from "../../shared/logic/alerts";
import { MISSING, said, signed, significant } from "../../shared/logic/text/format";
import { NoteList } from "../../shared/ui/NoteList";
import { SourceNames } from "./SourceNames";

export function AlertCause({ told }: { told: Explanation }) {
  const { share } = told;
  return (
    <>
      <p className="said">{said(told.text)}</p>
      {share && (
        <p>
          That can account for {signed(share.low)} to {signed(share.high)} of {signed(share.of)}{" "}
          cycles/packet. A bound and no measurement, priced with {share.priced_with}.
        </p>
      )}
      {(told.evidence ?? []).length > 0 && <EvidenceTable told={told} />}
      {(told.missing ?? []).length > 0 && (
        <>
          <h3 className="part-head">Further measurements</h3>
          <NoteList notes={told.missing ?? []} />
        </>
      )}
    </>
  );
}

function EvidenceTable({ told }: { told: Explanation }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Figures of the cause">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Quantity</th>
            <th>Before</th>
            <th>After</th>
            <th className="left">Unit</th>
            <th className="left">Counted by</th>
          </tr>
        </thead>
        <tbody>
          {(told.evidence ?? []).map((one) => (
            <tr key={`${one.name} ${one.source}`}>
              <th scope="row">{quantityOf(one.name, told.stage)}</th>
              <td>{shown(one.before)}</td>
              <td>{shown(one.after)}</td>
              <td className="left">{one.unit === "1" ? "none" : one.unit}</td>
              <td className="left">
                <SourceNames of={one.source} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const shown = (value: number | null): string => (value === null ? MISSING : significant(value, 3));
