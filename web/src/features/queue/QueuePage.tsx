// SPDX-License-Identifier: Apache-2.0
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import * as v from "valibot";
import { projectsQuery } from "../../shared/api/queries";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { LiveMark } from "../../shared/ui/LiveMark";
import { PageHead } from "../../shared/ui/PageHead";
import { QueueView } from "./QueueView";
import { ReasonFilter } from "./ReasonFilter";
import { queueSearch } from "./search";

/** Of all projects at /queue, of one at /p/NAME/queue. */
export function QueuePage() {
  const here = useParams({ strict: false, select: (params) => params.project });
  const search = v.parse(queueSearch, useSearch({ strict: false }));
  const navigate = useNavigate();
  const project = here ?? search.project;
  const live = useLiveJobs({ project });
  useTitle("Queue", ...(project ? [project] : []));
  const change = (next: { reason?: string | undefined; project?: string | undefined }): void => {
    navigate({ to: ".", search: { ...search, ...next }, replace: true });
  };
  return (
    <>
      <PageHead title="Queue" mark={<LiveMark live={live} />}>
        <ReasonFilter requested={search.reason?.split(",") ?? []} onChange={(reason) => change({ reason })} />
        {here === undefined && (
          <ProjectFilter value={search.project} onChange={(name) => change({ project: name })} />
        )}
      </PageHead>
      <QueueView project={project} reasons={search.reason?.split(",") ?? []} live={live} />
    </>
  );
}

interface FilterProps {
  value: string | undefined;
  onChange: (project: string | undefined) => void;
}

function ProjectFilter({ value, onChange }: FilterProps) {
  const { data: projects = [] } = useQuery(projectsQuery());
  if (projects.length < 2 && value === undefined) return null;
  return (
    <Select
      aria-label="Project"
      placeholder="All projects"
      clearable
      size="xs"
      data={projects.map((project) => project.name)}
      value={value ?? null}
      onChange={(name) => onChange(name ?? undefined)}
    />
  );
}
