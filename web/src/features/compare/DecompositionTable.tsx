// SPDX-License-Identifier: Apache-2.0

import { signed } from "../../shared/logic/text/format";
import { type Cells, PART_SAYS, PARTS, type StageCells } from "./decomposition";

const KINDS: Record<string, string> = {
  added: "came",
  removed: "went",
  model: "between lcores",
};

/** What each stage contributes to each part, cycles per packet: rows and columns add up. */
export function DecompositionTable({ cells }: { cells: Cells }) {
  const shown = PARTS.map((part, column) => ({ part, column })).filter(
    ({ part, column }) => part === "efficiency" || cells.rows.some((row) => row.cells[column] !== 0),
  );
  const columns = shown.map(({ column }) => column);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Parts of the change per stage">
      <table className="table pinned">
        <thead>
          <tr>
            <th className="left">Stage</th>
            {shown.map(({ part }) => (
              <th key={part}>{PART_SAYS[part].word}</th>
            ))}
            <th>Sum, cycles/packet</th>
          </tr>
        </thead>
        <tbody>
          {cells.rows.map((row) => (
            <StageRow key={row.stage} row={row} columns={columns} />
          ))}
          <tr className="total">
            <th scope="row">chain</th>
            {columns.map((column) => (
              <td key={column}>{signed(cells.totals[column] ?? 0, 2)}</td>
            ))}
            <td>{signed(cells.total, 2)}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function StageRow({ row, columns }: { row: StageCells; columns: readonly number[] }) {
  return (
    <tr>
      <th scope="row">
        {row.stage}
        {KINDS[row.kind] && <span className="under">{KINDS[row.kind]}</span>}
      </th>
      {columns.map((column) => (
        <td key={column} className={row.cells[column] ? undefined : "soft"}>
          {signed(row.cells[column] ?? 0, 2)}
        </td>
      ))}
      <td>{signed(row.total, 2)}</td>
    </tr>
  );
}
