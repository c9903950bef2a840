// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { Project, Trend } from "../../shared/api/types";
import { byState } from "../../shared/logic/overview";
import { useNow } from "../../shared/ui/hooks/useNow";
import { ProjectRow } from "./ProjectRow";
import { QueryPanel } from "./QueryPanel";

const AT_FIRST = 12;

interface Props {
  query: UseQueryResult<Project[]>;
  trends: readonly Trend[] | undefined;
}

/** Every project the reader may see: with open alerts first, then what cannot be read, then by name. */
export function ProjectsPanel({ query, trends }: Props) {
  const now = useNow();
  const [all, setAll] = useState(false);
  return (
    <QueryPanel title="Projects" query={query}>
      {(projects) => (
        <>
          <ul className="commits" aria-label="Projects">
            {byState(projects)
              .slice(0, all ? projects.length : AT_FIRST)
              .map((project) => (
                <ProjectRow
                  key={project.name}
                  project={project}
                  trend={trends?.find((one) => one.project === project.name)}
                  now={now}
                />
              ))}
          </ul>
          {!all && projects.length > AT_FIRST && (
            <div className="list-foot">
              <Button size="xs" variant="default" onClick={() => setAll(true)}>
                Show {projects.length - AT_FIRST} more
              </Button>
            </div>
          )}
        </>
      )}
    </QueryPanel>
  );
}
