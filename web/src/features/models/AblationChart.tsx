// SPDX-License-Identifier: Apache-2.0

import { IntervalBar } from "../../shared/charts/IntervalBar";
import { type Axis, axisOf, type Reaching } from "../../shared/logic/charts/axis";
import { effectWord, reachText, type VariantChain, type VariantShown } from "../../shared/logic/run/variants";
import { type ColumnUnit, columnUnit, figure, inColumn } from "../../shared/logic/text/format";
import { MetricName } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { ChangeText } from "../../shared/ui/run/ChangeText";
import { TuningName } from "../../shared/ui/TuningName";

/** The axis is at least so many per cent wide: noise is not blown up. */
const LEAST_PERCENT = 4;
const COLORS = {
  faster: "var(--improved)",
  slower: "var(--regressed)",
  "no effect": "var(--part-unsplit)",
};

const percents = ({ ratio, low, high }: VariantChain): Reaching => {
  const percent = (value: number | null): number | null => (value === null ? null : (value - 1) * 100);
  return { value: percent(ratio), low: percent(low), high: percent(high) };
};

/** What each variant contributes, chain by chain, with interval: left of the line saves, right costs. */
export function AblationChart({ label, variants }: { label: string; variants: readonly VariantShown[] }) {
  const axis = axisOf(
    variants.flatMap((variant) => variant.chains.map(percents)),
    0,
    LEAST_PERCENT,
  );
  const rate = columnUnit(
    variants.flatMap(({ chains }) => chains.flatMap(({ ppsOff, ppsOn }) => [ppsOff, ppsOn])),
    "packets/s",
  );
  return (
    <ScrollTable label={label}>
      <thead>
        <tr>
          <th className="left">Variant and its reach</th>
          <th className="left">Chain</th>
          <th>
            <MetricName name="cpp" /> on against off [interval]
          </th>
          <th className="left">saves | costs</th>
          <th className="left">Effect</th>
          <th>CPP off → on</th>
          <th>
            <MetricName name="pps" />, {rate.unit}, off → on
          </th>
        </tr>
      </thead>
      {variants.map((variant) => (
        <tbody key={variant.name}>
          {variant.chains.map((chain, index) => (
            <tr key={`${chain.chain}${chain.on}`}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={variant.chains.length}>
                  {variant.name}
                  <span className="under wrap-text">{reachText(variant)}</span>
                  {variant.tuning && (
                    <span className="under wrap-text">
                      <TuningName of={variant.tuning} />
                    </span>
                  )}
                </th>
              )}
              <Cells variant={variant} chain={chain} axis={axis} rate={rate} />
            </tr>
          ))}
        </tbody>
      ))}
    </ScrollTable>
  );
}

interface CellsProps {
  variant: VariantShown;
  chain: VariantChain;
  axis: Axis;
  rate: ColumnUnit;
}

function Cells({ variant, chain, axis, rate }: CellsProps) {
  const effect = effectWord(variant, chain);
  return (
    <>
      <td className="left">
        {chain.chain}
        <span className="under">
          {chain.off} → {chain.on}
        </span>
      </td>
      <td>
        <ChangeText of={{ ratio_cpp: chain.ratio, low: chain.low, high: chain.high }} />
      </td>
      <td className="left">
        <IntervalBar of={percents(chain)} axis={axis} color={COLORS[effect]} />
      </td>
      <td className="left">{effect}</td>
      <td>
        {figure(chain.cppOff)}
        <span className="under">→ {figure(chain.cppOn)}</span>
      </td>
      <td>
        {inColumn(chain.ppsOff, rate)}
        <span className="under">→ {inColumn(chain.ppsOn, rate)}</span>
      </td>
    </>
  );
}
