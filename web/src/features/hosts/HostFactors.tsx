// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { factorsQuery } from "../../shared/api/hosts";
import type { HostFactors as Factors } from "../../shared/api/types";
import { share } from "../../shared/logic/hosts";
import { change, MISSING } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { Panel } from "../../shared/ui/Panel";
import { ServerText } from "../../shared/ui/ServerText";
import { FailedPart, Loading } from "../../shared/ui/States";

type Factor = Factors["factors"][number];
const TITLE = "What moves measurements";
const SHOWN = 8;
/** Their values are digests of many settings. */
const OF_MANY: ReadonlySet<string> = new Set(["mitigations", "cmdline", "libraries"]);

/** Which properties of hosts move measurements, and what to do about the largest. */
export function HostFactors() {
  const { data, error, refetch } = useQuery(factorsQuery());
  if (data === undefined && error === null) return <Loading rows={3} />;
  if (data === undefined)
    return (
      <Panel title={TITLE}>
        <FailedPart error={error} onRetry={refetch} />
      </Panel>
    );
  if (data.factors.length === 0)
    return (
      <Panel title={TITLE}>
        <p className="soft">
          {data.runs < data.needed
            ? `Not known yet: ${data.runs} recorded runs of commits with a level, of ${data.needed} needed. Commits, backfills and controls count.`
            : `No property of the hosts differed over ${data.runs} recorded runs.`}
        </p>
      </Panel>
    );
  const advised = data.factors.filter((one) => one.advice !== null);
  return (
    <Panel title={TITLE}>
      <p className="soft">
        {`Equal code differs by ${share(data.spread)} from run to run, over ${data.runs} runs. `}
        {`These properties of hosts explain ${share(data.explained)} of that variance.`}
      </p>
      <ScrollTable label="Properties of hosts that move measurements">
        <thead>
          <tr>
            <th className="left">Property</th>
            <th className="left">Largest difference in cycles</th>
            <th>Share of the variance</th>
          </tr>
        </thead>
        <tbody>
          {data.factors.slice(0, SHOWN).map((one) => (
            <tr key={one.name}>
              <th scope="row" className="left">
                {one.label}
                {one.together.length > 0 && <span className="under">with {one.together.join(", ")}</span>}
              </th>
              <td className="left wrap">{one.significant ? largest(one) : "not shown to matter"}</td>
              <td className="number">{one.significant ? share(one.share) : MISSING}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      {advised.length > 0 && (
        <ul>
          {advised.map((one) => (
            <li key={one.name}>
              <strong>{one.label}</strong>: <ServerText>{one.advice ?? ""}</ServerText>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** "off against on: +3.8 %"; of a quantity "from 0 to 0.2: +4.0 %". */
function largest(one: Factor): string {
  const [first, ...others] = [...one.effects].sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (first === undefined) return MISSING;
  const size = change(ratio(1 + first.change));
  if (OF_MANY.has(one.name)) return `other ones than most runs have: ${size}`;
  if (others.length === 0) return `from ${first.value}: ${size}`;
  return `${first.value} against ${one.effects[0]?.value}: ${size}`;
}
