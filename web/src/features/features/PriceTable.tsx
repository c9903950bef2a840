// SPDX-License-Identifier: Apache-2.0
import type { PriceLine, PriceList } from "../../shared/api/types";
import { type ColumnUnit, columnUnit, signed, signedInColumn } from "../../shared/logic/text/format";
import { Help, MetricName } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { PriceCauses } from "./PriceCauses";
import { PriceChangeText } from "./PriceChangeText";
import { PriceSpark } from "./PriceSpark";
import { byFeature, lineKey, SOURCE_SAYS } from "./prices";

const CHANGE_SAYS =
  "Linked: by the comparisons between the two commits, so that hosts, kernels and compilers do not count. " +
  "As measured: the difference of two prices, each measured on its own.";

interface Props {
  project: string;
  prices: PriceList;
  /** Feature whose history is shown. */
  chosen: string | undefined;
  onChoose: (feature: string | undefined) => void;
}

export function PriceTable({ project, prices, chosen, onChoose }: Props) {
  const releases = prices.release !== null;
  const rate = columnUnit(
    prices.features.map((line) => line.now.pps),
    "packets/s",
  );
  return (
    <ScrollTable label="Prices of features">
      <thead>
        <tr>
          <th className="left">Feature</th>
          <th className="left">Measured by</th>
          <th>cycles/packet</th>
          <th>
            <Help text="Packets per second that a busy lcore forwards more or less with the feature than without it.">
              Effect on
            </Help>{" "}
            <MetricName name="pps" />, {rate.unit}
          </th>
          <th>
            <Help text={CHANGE_SAYS}>Since the reference</Help>
          </th>
          {releases && (
            <th>
              <Help text={CHANGE_SAYS}>Since {prices.release?.name}</Help>
            </th>
          )}
          <th className="left">History</th>
          <th className="left">Increased by</th>
        </tr>
      </thead>
      {byFeature(prices.features).map((lines) => (
        <tbody key={lines[0]?.feature}>
          {lines.map((line, index) => (
            <tr key={lineKey(line)} className={line.feature === chosen ? "marked" : undefined}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={lines.length}>
                  <button
                    type="button"
                    className="link-button"
                    aria-expanded={line.feature === chosen}
                    onClick={() => onChoose(line.feature === chosen ? undefined : line.feature)}
                  >
                    {line.feature}
                  </button>
                </th>
              )}
              <Cells project={project} line={line} releases={releases} rate={rate} />
            </tr>
          ))}
        </tbody>
      ))}
    </ScrollTable>
  );
}

interface CellsProps {
  project: string;
  line: PriceLine;
  releases: boolean;
  rate: ColumnUnit;
}

function Cells({ project, line, releases, rate }: CellsProps) {
  const { now } = line;
  const says = SOURCE_SAYS[line.source];
  return (
    <>
      <td className="left">
        <Help text={says.sentence}>{says.word}</Help>
        <span className="under">
          {line.scenario}, {line.host_class}
        </span>
      </td>
      <td>
        {signed(now.cycles, 1)}
        {now.low !== null && now.high !== null && (
          <span className="under">
            {signed(now.low, 1)} to {signed(now.high, 1)}
          </span>
        )}
      </td>
      <td>{signedInColumn(now.pps, rate)}</td>
      <td>
        <PriceChangeText of={line.since_reference} />
      </td>
      {releases && (
        <td>
          <PriceChangeText of={line.since_release} />
        </td>
      )}
      <td className="left">
        <PriceSpark project={project} line={line} />
      </td>
      <td className="left">
        <PriceCauses project={project} grown={line.grown_by} />
      </td>
    </>
  );
}
