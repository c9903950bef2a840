// SPDX-License-Identifier: Apache-2.0
/** Base and head per stage: what changed, by how much, and which part is instructions, which pipeline use. */
import type { Change, StageChange } from "../../api/types";
import { SplitBar, SplitLegend } from "../../charts/SplitBar";
import { barReach, splitCycles } from "../../logic/run/split";
import { change, figure, fromTo, MISSING, said, signed, significant } from "../../logic/text/format";
import { known, ratio } from "../../logic/text/units";
import { MetricName } from "../Help";
import { ChangeText } from "./ChangeText";

/** Bars are not drawn larger than a change of this many cycles per packet would be: noise stays small. */
const LEAST_REACH_CYCLES = 2;

interface Props {
  chain: Change | null;
  /** Said under the chain's name. */
  chainName: string | null;
  stages: readonly StageChange[];
  /** Stages the verdict names as those that pay. */
  culprits: readonly string[];
  /** By stage: its part in the change, or what its test said. */
  notes: Readonly<Record<string, string>>;
  /** What the intervals are; null: all alike. */
  about: string | null;
}

export function StageTable({ chain, chainName, stages, culprits, notes, about }: Props) {
  const splits = stages.map(splitCycles);
  const chainSplit = chain && splitCycles(chain);
  const reach = barReach([...splits, chainSplit], LEAST_REACH_CYCLES);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Change per stage">
        <table className="table pinned">
          <thead>
            <tr>
              <th className="left">Stage</th>
              <th>
                <MetricName name="cpp" /> change [interval]
              </th>
              <th>cycles/packet</th>
              <th className="split-cell">
                <span className="split-head">
                  <span>saves</span>
                  <span>costs</span>
                </span>
              </th>
              <th>
                <MetricName name="cpp" /> base → head
              </th>
              <th>
                <MetricName name="ipp" /> base → head
              </th>
              <th>
                <MetricName name="eipc" /> base → head
              </th>
            </tr>
          </thead>
          <tbody>
            {stages.map((stage, index) => (
              <tr key={stage.stage} className={rowTone(stage, culprits)}>
                <th scope="row">
                  {stage.stage}
                  <span className="under">{notes[stage.stage]}</span>
                </th>
                <Sizes of={stage} contribution={stage.contribution_cycles} />
                <td className="split-cell">
                  <SplitBar split={splits[index] ?? null} reach={reach} />
                </td>
                <Figures of={stage} />
              </tr>
            ))}
            {chain && (
              <tr className="total">
                <th scope="row">
                  chain
                  {chainName && <span className="under">{chainName}</span>}
                </th>
                <Sizes of={chain} contribution={chainSplit?.total ?? null} />
                <td className="split-cell">
                  <SplitBar split={chainSplit} reach={reach} />
                </td>
                <Figures of={chain} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
      <SplitLegend splits={[...splits, chainSplit]} />
      {about && <p className="soft small">{said(about)}</p>}
    </>
  );
}

function rowTone(stage: StageChange, culprits: readonly string[]): string | undefined {
  if (!culprits.includes(stage.stage)) return undefined;
  return (stage.contribution_cycles ?? 0) > 0 ? "culprit" : "saver";
}

function Sizes({ of, contribution }: { of: Change; contribution: number | null }) {
  return (
    <>
      <td>{of.ratio_cpp == null ? MISSING : <ChangeText of={of} />}</td>
      <td>{contribution === null ? MISSING : signed(contribution, 2)}</td>
    </>
  );
}

const decimals = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? MISSING : significant(value, digits);

function Figures({ of }: { of: Change }) {
  return (
    <>
      <td>{fromTo(figure(of.base?.cpp), figure(of.head?.cpp))}</td>
      <td>
        {fromTo(decimals(of.base?.ipp, 4), decimals(of.head?.ipp, 4))}
        <Under ln={of.ln_ipp} />
      </td>
      <td>
        {fromTo(decimals(of.base?.eipc, 3), decimals(of.head?.eipc, 3))}
        <Under ln={of.ln_eipc} />
      </td>
    </>
  );
}

function Under({ ln }: { ln: number | null | undefined }) {
  if (ln == null) return null;
  return <span className="under">{change(known(Math.exp(ln), ratio))}</span>;
}
