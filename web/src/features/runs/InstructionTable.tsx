// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "react";
import type { RunReport } from "../../shared/api/types";
import { MISSING, significant } from "../../shared/logic/text/format";
import { FunctionHistoryLink } from "../../shared/ui/links/FunctionHistoryLink";
import { inChainOrder } from "./stageOrder";

type Arms = RunReport["arms"];
type InstructionCount = NonNullable<RunReport["instructions"]>[number];

/** Most expensive functions shown per stage. */
const FUNCTIONS_SHOWN = 3;

const ARM_WORDS: Record<string, string> = {
  base: "Base",
  head: "Head",
  head_as_base: "Head with base's features",
};
const armWord = (arm: string): string => ARM_WORDS[arm] ?? arm;

interface Props {
  counts: readonly InstructionCount[];
  arms: Arms;
  project: string;
  scenario: string;
  hostClass: string;
}

/** Exact instructions per packet by stage and arm, and the most expensive functions of head. */
export function InstructionTable({ counts, arms, ...where }: Props) {
  const stages = inChainOrder(
    counts.flatMap((count) => Object.keys(count.stages)),
    [arms.head, ...Object.values(arms)],
  );
  const last = counts.find((count) => count.arm === "head") ?? counts[counts.length - 1];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Instructions per packet">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Stage</th>
            {counts.map((count) => (
              <th key={count.arm}>{armWord(count.arm)}</th>
            ))}
            <th className="left">Most expensive functions of {last && armWord(last.arm).toLowerCase()}</th>
          </tr>
        </thead>
        <tbody>
          {stages.map((stage) => (
            <tr key={stage}>
              <th scope="row">{stage}</th>
              {counts.map((count) => (
                <td key={count.arm}>{perPacket(count.stages[stage], count.packets)}</td>
              ))}
              <td className="left wrap">
                {costliest(last, stage).map(({ name, instructions }, place) => (
                  <Fragment key={name}>
                    {place > 0 && ", "}
                    <FunctionHistoryLink {...where} stage={stage} name={name}>
                      <span className="mono">{name}</span>
                    </FunctionHistoryLink>{" "}
                    {perPacket(instructions, last?.packets ?? 0)}
                  </Fragment>
                ))}
              </td>
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

const costliest = (count: InstructionCount | undefined, stage: string) =>
  [...(count?.functions?.[stage] ?? [])]
    .sort((a, b) => b.instructions - a.instructions)
    .slice(0, FUNCTIONS_SHOWN);
