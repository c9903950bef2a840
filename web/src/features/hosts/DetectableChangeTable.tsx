// SPDX-License-Identifier: Apache-2.0
import type { HostNoise } from "../../shared/api/types";
import { share } from "../../shared/logic/hosts";
import { MISSING } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/ScrollTable";

type Sight = HostNoise["sights"][number];

/** The smallest change each scenario sees here, by the launches of a run. */
export function DetectableChangeTable({ sights }: { sights: readonly Sight[] }) {
  const launches = sights.find((one) => one.sees.length > 0)?.sees.map((one) => one.launches) ?? [];
  return (
    <ScrollTable label="Smallest detectable changes on this host">
      <thead>
        <tr>
          <th className="left">Scenario</th>
          <th>Runs</th>
          <th>Launches each</th>
          <th>Known to ±</th>
          <th>Noise of a launch</th>
          {launches.map((count) => (
            <th key={count}>With {count} launches</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sights.map((one) => (
          <tr key={`${one.project}/${one.scenario}`}>
            <th scope="row" className="left">
              {one.scenario} <span className="under">{one.project}</span>
            </th>
            <td className="number">{one.runs}</td>
            <td className="number">{one.launches}</td>
            <td className="number">{share(one.width)}</td>
            <td className="number">{share(one.spread)}</td>
            {launches.map((count) => (
              <td key={count} className="number">
                {seenIn(one, count)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function seenIn(one: Sight, launches: number): string {
  const seen = one.sees.find((item) => item.launches === launches);
  return seen === undefined ? MISSING : share(seen.change);
}
