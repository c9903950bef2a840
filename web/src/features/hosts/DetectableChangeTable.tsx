// SPDX-License-Identifier: Apache-2.0
import type { HostNoise } from "../../shared/api/types";
import { share } from "../../shared/logic/hosts";
import { MISSING } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";

type Resolution = HostNoise["resolutions"][number];

/** The smallest change each scenario detects here, by the launches of a run. */
export function DetectableChangeTable({ resolutions }: { resolutions: readonly Resolution[] }) {
  const launches =
    resolutions.find((one) => one.detectable.length > 0)?.detectable.map((one) => one.launches) ?? [];
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
            <th key={count}>{count} launches</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {resolutions.map((one) => (
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

function seenIn(one: Resolution, launches: number): string {
  const seen = one.detectable.find((item) => item.launches === launches);
  return seen === undefined ? MISSING : share(seen.change);
}
