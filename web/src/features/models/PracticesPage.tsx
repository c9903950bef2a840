// SPDX-License-Identifier: Apache-2.0
/** What nalm advises, and what variants of this project measured of it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ApiError } from "../../shared/api/client";
import { practicesQuery } from "../../shared/api/features";
import type { Practice, Practices } from "../../shared/api/types";
import { ContributionPlot } from "../../shared/charts/ContributionPlot";
import { fileName, table } from "../../shared/logic/text/csv";
import { said } from "../../shared/logic/text/format";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { PageHead } from "../../shared/ui/PageHead";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { TuningName } from "../../shared/ui/TuningName";
import { ModelsTabs } from "./ModelsTabs";

const route = getRouteApi("/p/$project/models/practices");

export function PracticesPage() {
  const { project } = route.useParams();
  const { data, error, refetch } = useQuery(practicesQuery(project));
  useTitle("Practices", project);
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHead title="Practices" under="What nalm advises, and what it was worth in this project." />
      <ModelsTabs project={project} />
      {data && <Contributions project={project} of={data} />}
      {data && <PracticeTable project={project} practices={data.practices} />}
      {!data && missing && (
        <CenterState icon="clock" title="Nothing measured">
          <p>{error.message}</p>
          <FirstStepsLink project={project} />
        </CenterState>
      )}
      {!data && !missing && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
    </>
  );
}

/** Fig. 13 of the paper, with this project's variants. */
function Contributions({ project, of }: { project: string; of: Practices }) {
  const { variants } = of;
  return (
    <SavedPanel
      title="Contribution and reach of variants"
      name={fileName(project, "contributions")}
      what="contributions"
      aside={<span className="soft">the highest first</span>}
      rows={
        variants.length > 0
          ? () =>
              table(variants, {
                variant: (one) => one.variant,
                tuning: (one) => one.tuning,
                "contribution [ratio]": (one) => one.contribution,
                reached: (one) => one.reached,
                chains: (one) => one.chains,
                side_by_side: (one) => (one.side_by_side ? "yes" : "no"),
              })
          : undefined
      }
      pictured
    >
      {variants.length > 0 ? (
        <div className="answer">
          <ContributionPlot
            techniques={variants.map((one) => ({
              name: one.variant,
              reach: one.reached / one.chains,
              contribution: one.contribution,
            }))}
          />
          <p className="assumes">
            Assumes: a variant reaches a chain that it makes faster, at an error rate of 5 % over all its
            chains; the contribution is the geometric mean of CPP off / CPP on over reached chains.
          </p>
          {variants.some((one) => !one.side_by_side) && (
            <p className="assumes">
              Note: not measured side by side:{" "}
              {variants
                .filter((one) => !one.side_by_side)
                .map((one) => one.variant)
                .join(", ")}
            </p>
          )}
        </div>
      ) : (
        <p className="soft">
          No variant was measured. Add [ablation] tables to nalm.toml and run an ablation experiment on the
          page of measured models.
        </p>
      )}
    </SavedPanel>
  );
}

function PracticeTable({ project, practices }: { project: string; practices: readonly Practice[] }) {
  return (
    <SavedPanel
      title="Practices and what they were worth"
      name={fileName(project, "practices")}
      what="practices"
      aside={<span className="soft">from stored comparisons</span>}
      rows={() =>
        table(
          practices.flatMap((practice) => practice.measured.map((one) => ({ practice, ...one }))),
          {
            practice: (one) => one.practice.title,
            variant: (one) => one.variant,
            chain: (one) => one.chain,
            "cpp_with_against_without [ratio]": (one) => one.ratio_cpp,
            "low [ratio]": (one) => one.low,
            "high [ratio]": (one) => one.high,
            stage: (one) => one.stage,
          },
        )
      }
    >
      <ScrollTable label="Practices" className="practices">
        <thead>
          <tr>
            <th className="left">Practice</th>
            <th className="left">In this project</th>
          </tr>
        </thead>
        <tbody>
          {practices.map((practice) => (
            <tr key={practice.rule}>
              <th scope="row" className="left">
                {practice.title}
                <span className="under wrap-text">
                  <TuningName of={practice.direction} />
                </span>
                <span className="under wrap-text">{practice.source}</span>
              </th>
              <td className="left">
                {practice.measured.map((one) => (
                  <span className="wrap-text" key={`${one.variant} ${one.chain}`}>
                    {said(one.says)}
                    {one.side_by_side ? "" : " (not side by side)"}
                  </span>
                ))}
                {practice.measured.length === 0 && <span className="soft">no variant tried it</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </SavedPanel>
  );
}
