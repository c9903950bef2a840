// SPDX-License-Identifier: Apache-2.0
/** Asking for measurements: one commit, a range, or the search for the commit that changed something. */
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { allJobsQuery } from "../../shared/api/jobs";
import { commitsQuery, scenariosQuery } from "../../shared/api/queries";
import { useNow } from "../../shared/ui/hooks/useNow";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { JobTable } from "../../shared/ui/jobs/JobTable";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Failed, Loading } from "../../shared/ui/States";
import { backfillsQuery, bisectsQuery } from "./api";
import { BackfillForm } from "./BackfillForm";
import { BisectForm } from "./BisectForm";
import { BackfillList, BisectList } from "./CampaignList";
import { MeasureForm } from "./MeasureForm";
import type { MeasureSearch } from "./search";

const route = getRouteApi("/p/$project/measure");
const MOST = 500;
const KINDS = [
  { value: "one", label: "One commit" },
  { value: "backfill", label: "Backfill" },
  { value: "bisect", label: "Bisection" },
];

export function MeasurePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const kind = search.kind ?? "one";
  useTitle("Measure", project);
  return (
    <>
      <PageHead title="Measure">
        <SegmentedControl
          aria-label="What to measure"
          data={KINDS}
          value={kind}
          onChange={(chosen) =>
            navigate({
              to: ".",
              search: { ...search, kind: chosen as NonNullable<MeasureSearch["kind"]> },
              replace: true,
            })
          }
        />
      </PageHead>
      <Panel title={KINDS.find((one) => one.value === kind)?.label}>
        <Form project={project} search={search} />
      </Panel>
      {kind === "one" && <Requested project={project} />}
      {kind === "backfill" && <Backfills project={project} />}
      {kind === "bisect" && <Bisects project={project} />}
    </>
  );
}

function Form({ project, search }: { project: string; search: MeasureSearch }) {
  const navigate = useNavigate();
  const allowed = useMay(project, "developer");
  const { data: commits, error, refetch } = useQuery(commitsQuery(project, undefined, MOST));
  const { data: scenarios } = useQuery(scenariosQuery(project));
  if (!allowed) return <p className="soft">Only developers of the project can do this. Sign in first.</p>;
  if (commits === undefined || scenarios === undefined)
    return error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={3} />;
  if (search.kind === "backfill")
    return (
      <BackfillForm
        project={project}
        commits={commits}
        onDone={({ id }) =>
          navigate({ to: "/p/$project/backfills/$id", params: { project, id: String(id) } })
        }
      />
    );
  if (search.kind === "bisect")
    return (
      <BisectForm
        project={project}
        commits={commits}
        scenarios={scenarios.map((one) => one.name)}
        good={search.good}
        bad={search.bad}
        scenario={search.scenario}
        metric={search.metric}
        onDone={({ id }) =>
          navigate({ to: "/p/$project/bisections/$id", params: { project, id: String(id) } })
        }
      />
    );
  return (
    <MeasureForm
      project={project}
      head={search.head}
      onDone={({ id }) => navigate({ to: "/jobs/$jobId", params: { jobId: String(id) } })}
    />
  );
}

const REQUESTED = 10;

/** What people requested last. */
function Requested({ project }: { project: string }) {
  const { data } = useQuery(allJobsQuery(project, true));
  const now = useNow();
  const jobs = (data ?? []).filter((job) => job.reason === "person").slice(0, REQUESTED);
  if (jobs.length === 0) return null;
  return (
    <Panel title="Requested last">
      <JobTable jobs={jobs} label="Requested jobs" now={now} />
    </Panel>
  );
}

function Backfills({ project }: { project: string }) {
  const { data, error, refetch } = useQuery(backfillsQuery(project));
  return (
    <Panel title="Backfills">
      {data ? <BackfillList backfills={data} /> : <Pending error={error} onRetry={refetch} />}
    </Panel>
  );
}

function Bisects({ project }: { project: string }) {
  const { data, error, refetch } = useQuery(bisectsQuery(project));
  return (
    <Panel title="Bisections">
      {data ? <BisectList project={project} bisects={data} /> : <Pending error={error} onRetry={refetch} />}
    </Panel>
  );
}

const Pending = ({ error, onRetry }: { error: Error | null; onRetry: () => void }) =>
  error ? <Failed error={error} onRetry={onRetry} /> : <Loading rows={2} />;
