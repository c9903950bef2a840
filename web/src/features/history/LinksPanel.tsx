// SPDX-License-Identifier: Apache-2.0
/** How well the comparisons of a scenario agree, and which further ones would make its history more exact. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { body, client } from "../../shared/api/client";
import type { LinkReport } from "../../shared/api/types";
import { counted } from "../../shared/logic/overview";
import { duration, shortSha, significant, THIN } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { Panel } from "../../shared/ui/Panel";
import { FailedPart } from "../../shared/ui/States";

const TITLE = "Comparisons behind these levels";
const SHOWN = 5;

const linksQuery = (project: string, scenario: string) =>
  queryOptions({
    queryKey: ["links", project, scenario],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/scenarios/{scenario}/links", {
          params: { path: { project, scenario } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });

interface Props {
  project: string;
  scenario: string;
}

export function LinksPanel({ project, scenario }: Props) {
  const { data, error, refetch } = useQuery(linksQuery(project, scenario));
  if (data === undefined && error !== null)
    return (
      <Panel title={TITLE}>
        <FailedPart error={error} onRetry={refetch} />
      </Panel>
    );
  if (data === undefined || data.links === 0) return null;
  const loose = data.hosts.filter((host) => !host.fits);
  return (
    <Panel title={TITLE}>
      <p className="soft">
        {`${counted(data.links, "comparison")} of the chain's cycles; ${data.checks || "none"} can be checked by others. `}
        {data.scale > 1 && `Errors are widened ${significant(data.scale, 2)} times, so that they agree. `}
        {loose.length > 0 && `Hosts that do not fit: ${loose.map((one) => one.host).join(", ")}.`}
      </p>
      {data.misfits.length > 0 && (
        <>
          <h3 className="part-head">Contradict the others</h3>
          <Misfits project={project} misfits={data.misfits} />
        </>
      )}
      {data.planned.length > 0 && (
        <>
          <h3 className="part-head">Would gain most</h3>
          <Planned report={data} />
        </>
      )}
    </Panel>
  );
}

function Misfits({ project, misfits }: { project: string; misfits: LinkReport["misfits"] }) {
  return (
    <ScrollTable label="Comparisons that contradict the others">
      <thead>
        <tr>
          <th className="left">Comparison</th>
          <th className="left">Host</th>
          <th>Standard errors off</th>
        </tr>
      </thead>
      <tbody>
        {misfits.slice(0, SHOWN).map((one) => (
          <tr key={one.run_id}>
            <th scope="row" className="mono">
              {one.kind === "run" ? (
                <Link to="/p/$project/runs/$runId" params={{ project, runId: one.run_id }}>
                  {shortSha(one.base_sha)} → {shortSha(one.head_sha)}
                </Link>
              ) : (
                `${one.kind} ${shortSha(one.head_sha)}`
              )}
            </th>
            <td className="left">{one.host}</td>
            <td>{significant(one.misfit, 2)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Planned({ report }: { report: LinkReport }) {
  const planned = report.planned.slice(0, SHOWN);
  const named = planned.some((one) => one.host !== null);
  const percent = (error: number | null): string =>
    error === null ? "unknown" : `${significant(100 * error, 2)}${THIN}%`;
  return (
    <ScrollTable label="Comparisons that would gain most">
      <thead>
        <tr>
          <th className="left">Comparison</th>
          {named && <th className="left">Host</th>}
          <th>Commits apart</th>
          <th>Error now</th>
          <th>Error after</th>
          <th>Takes</th>
        </tr>
      </thead>
      <tbody>
        {planned.map((one) => (
          <tr key={`${one.base_sha} ${one.head_sha} ${one.host ?? ""}`}>
            <th scope="row" className="mono">
              {shortSha(one.base_sha)} → {shortSha(one.head_sha)}
            </th>
            {named && <td className="left">{one.host ?? "any"}</td>}
            <td>{one.distance}</td>
            <td>{percent(one.error_before)}</td>
            <td>{percent(one.error_after)}</td>
            <td>{duration(report.seconds_each)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
