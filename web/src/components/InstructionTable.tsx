// SPDX-License-Identifier: Apache-2.0
import type { RunReport } from "../api/types";
import { MISSING, significant } from "../logic/format";

type InstructionCount = NonNullable<RunReport["instructions"]>[number];

/** Dearest functions shown per stage. */
const FUNCTIONS_SHOWN = 3;

/** Exact instructions per packet by stage and arm, and the dearest functions of head. */
export function InstructionTable({ counts }: { counts: readonly InstructionCount[] }) {
  const stages = [...new Set(counts.flatMap((count) => Object.keys(count.stages)))];
  const last = counts.find((count) => count.arm === "head") ?? counts[counts.length - 1];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Instructions per packet">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Stage</th>
            {counts.map((count) => (
              <th key={count.arm}>{count.arm}</th>
            ))}
            <th className="left">dearest functions, {last?.arm}</th>
          </tr>
        </thead>
        <tbody>
          {stages.map((stage) => (
            <tr key={stage}>
              <th scope="row">{stage}</th>
              {counts.map((count) => (
                <td key={count.arm}>{perPacket(count.stages[stage], count.packets)}</td>
              ))}
              <td className="left wrap">{last && functionList(last, stage)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">outside every stage</th>
            {counts.map((count) => (
              <td key={count.arm}>{perPacket(count.unattributed, count.packets)}</td>
            ))}
            <td />
          </tr>
        </tbody>
      </table>
    </section>
  );
}

const perPacket = (instructions: number | undefined, packets: number): string =>
  instructions === undefined ? MISSING : significant(instructions / packets);

function functionList(count: InstructionCount, stage: string): string {
  return (count.functions?.[stage] ?? [])
    .slice(0, FUNCTIONS_SHOWN)
    .map((item) => `${item.name} ${perPacket(item.instructions, count.packets)}`)
    .join(", ");
}
