// SPDX-License-Identifier: Apache-2.0
/** From base's cycles over each part of the change to head's; the text says what the bars show. */
import type { Decomposition } from "../../shared/api/types";
import { signed, significant } from "../../shared/logic/text/format";
import { Help } from "../../shared/ui/Help";
import { ChangeText } from "../../shared/ui/run/ChangeText";
import { type Waterfall as Fall, PART_SAYS, type Step } from "./decomposition";

interface Props {
  fall: Fall;
  of: Decomposition;
}

export function Waterfall({ fall, of }: Props) {
  return (
    <>
      <ol className="fall">
        <Level name="Base" cycles={fall.base} fall={fall} />
        {fall.steps.map((step) => (
          <PartRow key={step.part} step={step} fall={fall} of={of} />
        ))}
        <Level name="Head" cycles={fall.head} fall={fall} />
      </ol>
      {fall.low > 0 && (
        <p className="soft small">The bars begin at {significant(fall.low)} cycles/packet, not at 0.</p>
      )}
    </>
  );
}

function Level({ name, cycles, fall }: { name: string; cycles: number; fall: Fall }) {
  return (
    <li className="fall-row">
      <span className="fall-name">{name}</span>
      <span className="fall-number strong">{cycles.toFixed(2)}</span>
      <Bar from={fall.low} to={cycles} fall={fall} color="var(--split-level)" />
    </li>
  );
}

function PartRow({ step, fall, of }: Props & { step: Step }) {
  const { word, sentence } = PART_SAYS[step.part];
  const { efficiency_ratio, low, high } = of;
  return (
    <li className="fall-row">
      <span className="fall-name">
        <Help text={sentence}>{word}</Help>
        {step.part === "efficiency" && efficiency_ratio !== null && (
          <span className="under">
            <ChangeText of={{ ratio_cpp: efficiency_ratio, low, high }} />
            {low !== null && ` at ${Number((of.level * 100).toPrecision(4))} %`}
          </span>
        )}
      </span>
      <span className="fall-number">{signed(step.cycles, 2)}</span>
      <Bar from={step.from} to={step.to} fall={fall} color={`var(--split-${step.part})`} />
    </li>
  );
}

function Bar({ from, to, fall, color }: { from: number; to: number; fall: Fall; color: string }) {
  const percent = (cycles: number): number => ((cycles - fall.low) / (fall.high - fall.low || 1)) * 100;
  const left = percent(Math.min(from, to));
  return (
    <span className="fall-track" aria-hidden="true">
      <span
        className="fall-bar"
        style={{ left: `${left}%`, width: `${percent(Math.max(from, to)) - left}%`, background: color }}
      />
    </span>
  );
}
