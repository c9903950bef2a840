// SPDX-License-Identifier: Apache-2.0
import { Fragment, type ReactNode } from "react";
import { type Block, changeOf, edited, type LineCost, type SourceRow } from "../../logic/code/source";
import { MISSING, signed, significant } from "../../logic/text/format";

export type SideName = "base" | "head";

interface Props {
  side: SideName;
  /** For those who do not see where it stands. */
  label: string;
  /** Where the text is from. */
  title: ReactNode;
  blocks: readonly Block[];
  cost: LineCost;
  onWhole: () => void;
  /** Is given the box that scrolls sideways. */
  box: (element: HTMLElement | null) => void;
  onSideways: (left: number) => void;
}

const WORD: Record<LineCost, string> = { ipp: "instr.", cpp: "cycles" };

/** One side's lines. Both sides' rows are of one height, so that they stand beside each other. */
export function SourceTable({ side, label, title, blocks, cost, onWhole, box, onSideways }: Props) {
  return (
    <section
      className="source-box"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      ref={box}
      onScroll={(event) => onSideways(event.currentTarget.scrollLeft)}
    >
      <table className="source" aria-label={label}>
        <thead>
          <tr>
            <th>line</th>
            <th title="per packet, of the line itself">{WORD[cost]}</th>
            {side === "head" && <th>change</th>}
            <th className="code" colSpan={2}>
              {side === "base" ? "Base" : "Head"} {title}
            </th>
          </tr>
        </thead>
        <tbody>
          {blocks.map((block, at) => {
            const key = `${at} ${block.kind}`;
            if (block.kind === "shown")
              return (
                <Fragment key={key}>
                  {block.rows.map((row) => (
                    <Line key={`${row.base?.line} ${row.head?.line}`} row={row} side={side} cost={cost} />
                  ))}
                </Fragment>
              );
            return <Between key={key} block={block} side={side} onWhole={onWhole} />;
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Lines that are not shown: folded, or not in the report. */
function Between({ block, side, onWhole }: { block: Block; side: SideName; onWhole: () => void }) {
  const count = block.rows.length;
  return (
    <tr className="between">
      <td colSpan={side === "head" ? 5 : 4}>
        {block.kind === "folded" ? (
          <button type="button" className="link-button" onClick={onWhole}>
            {count} unchanged lines
          </button>
        ) : (
          <span>lines without a cost left out</span>
        )}
      </td>
    </tr>
  );
}

function Line({ row, side, cost }: { row: SourceRow; side: SideName; cost: LineCost }) {
  const line = row[side];
  const change = changeOf(row, cost);
  const mark = edited(row) && line ? (side === "base" ? "\u2212" : "+") : "";
  return (
    <tr className={line ? (mark ? "edited" : undefined) : "none"}>
      {line ? <th scope="row">{line.line}</th> : <td />}
      <td>{line?.[cost] == null ? "" : significant(line[cost], 3)}</td>
      {side === "head" && <Change change={change} gone={row.head == null} />}
      <td className="mark">{mark}</td>
      <td className="code">{line?.text}</td>
    </tr>
  );
}

/** Signed and coloured; a line that is gone takes its cost with it. */
function Change({ change, gone }: { change: number | null; gone: boolean }) {
  if (change === null) return <td />;
  const text = signed(change, 2);
  if (Number(change.toFixed(2)) === 0) return <td className="soft">{gone ? MISSING : text}</td>;
  return <td className={change > 0 ? "dearer" : "cheaper"}>{text}</td>;
}
