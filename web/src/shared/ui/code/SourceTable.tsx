// SPDX-License-Identifier: Apache-2.0
import { Fragment, type ReactNode } from "react";
import { type Block, changeOf, edited, type LineCost, type SourceRow } from "../../logic/code/source";
import { MISSING, signed, significant } from "../../logic/text/format";
import type { Piece } from "./highlight";

export type SideName = "base" | "head";

interface Props {
  side: SideName;
  /** For those who do not see where it stands. */
  label: string;
  /** Where the text is from. */
  title: ReactNode;
  blocks: readonly Block[];
  cost: LineCost;
  /** The other cost that lines have; it is shown, not compared. */
  other: LineCost | undefined;
  /** The most expensive line's, which fills its bar. */
  hottest: number;
  /** The line of head that is pointed out. */
  named: number | undefined;
  /** Each line of this side in colour. */
  pieces: ReadonlyMap<number, readonly Piece[]>;
  onWhole: () => void;
  /** Is given the box that scrolls sideways. */
  box: (element: HTMLElement | null) => void;
  onSideways: (left: number) => void;
}

const WORD: Record<LineCost, string> = { ipp: "instr.", cpp: "cycles" };

/** One side's lines. Both sides' rows are of one height, so that they stand beside each other. */
export function SourceTable(props: Props) {
  const { side, label, title, blocks, cost, other, onWhole, box, onSideways } = props;
  const columns = 5 + (other ? 1 : 0) + (side === "head" ? 1 : 0);
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
            <th className="heat" title="of the most expensive line">
              share
            </th>
            {side === "head" && <th>change</th>}
            {other && <th title="per packet, of the line itself">{WORD[other]}</th>}
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
                    <Line key={`${row.base?.line} ${row.head?.line}`} {...props} row={row} />
                  ))}
                </Fragment>
              );
            return <Hidden key={key} block={block} columns={columns} onWhole={onWhole} />;
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Lines that are not shown: the same on both sides, or not in the report. */
function Hidden({ block, columns, onWhole }: { block: Block; columns: number; onWhole: () => void }) {
  const count = block.rows.length + block.absent;
  const text = `${count} ${count === 1 ? "line" : "lines"} hidden`;
  return (
    <tr className="between">
      <td colSpan={columns}>
        {block.rows.length > 0 ? (
          <button type="button" className="link-button" onClick={onWhole}>
            {text}
          </button>
        ) : (
          <span title="The report has no text of lines without a cost.">{text}</span>
        )}
      </td>
    </tr>
  );
}

function Line({ row, side, cost, other, hottest, named, pieces }: Props & { row: SourceRow }) {
  const line = row[side];
  const change = changeOf(row, cost);
  const mark = edited(row) && line ? (side === "base" ? "\u2212" : "+") : "";
  const isNamed = named !== undefined && row.head?.line === named;
  const kind = line === null ? "none" : mark ? (side === "base" ? "removed" : "added") : "";
  return (
    <tr
      className={[kind, isNamed && "named"].filter(Boolean).join(" ") || undefined}
      {...(isNamed && side === "head" ? { "data-named": "" } : {})}
    >
      {line ? <th scope="row">{line.line}</th> : <td />}
      <td>{line?.[cost] == null ? "" : significant(line[cost], 3)}</td>
      <Heat cost={line?.[cost]} hottest={hottest} />
      {side === "head" && <Change change={change} gone={row.head == null} />}
      {other && <td className="soft">{line?.[other] == null ? "" : significant(line[other], 3)}</td>}
      <td className="mark">{mark}</td>
      <td className="code">
        <Code text={line?.text} pieces={line ? pieces.get(line.line) : undefined} />
      </td>
    </tr>
  );
}

/** A bar beside the line: the text beside it has the figure. */
function Heat({ cost, hottest }: { cost: number | null | undefined; hottest: number }) {
  const share = hottest > 0 && cost ? cost / hottest : 0;
  return <td className="heat">{share > 0 && <span style={{ width: `${Math.max(share * 100, 4)}%` }} />}</td>;
}

function Code({ text, pieces }: { text: string | undefined; pieces: readonly Piece[] | undefined }) {
  if (pieces === undefined) return text;
  return pieces.map((piece, at) =>
    piece.kind === null ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
      <span key={at} className={`hl-${piece.kind}`}>
        {piece.text}
      </span>
    ),
  );
}

/** Signed and coloured; a line that is gone takes its cost with it. */
function Change({ change, gone }: { change: number | null; gone: boolean }) {
  if (change === null) return <td />;
  const text = signed(change, 2);
  if (Number(change.toFixed(2)) === 0) return <td className="soft">{gone ? MISSING : text}</td>;
  return <td className={change > 0 ? "slower" : "faster"}>{text}</td>;
}
