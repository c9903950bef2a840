// SPDX-License-Identifier: Apache-2.0
import { Select } from "@mantine/core";
import { bindProject, poolsQuery } from "../../../shared/api/administration";
import type { Pool } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { SettingsPart } from "../../../shared/ui/SettingsPart";

/** Whose hosts measure the project; for administrators. */
export function ProjectPool({ project }: { project: string }) {
  return (
    <SettingsPart title="Measured by" query={poolsQuery()}>
      {(pools) => <Choice project={project} pools={pools} />}
    </SettingsPart>
  );
}

function Choice({ project, pools }: { project: string; pools: readonly Pool[] }) {
  const bind = useAction((pool: string) => bindProject(project, pool), { renews: ["pools", "jobs"] });
  const now = pools.find((pool) => pool.projects.includes(project));
  return (
    <div className="form">
      <Select
        label="Pool of bench hosts"
        description="Its jobs that wait go with it"
        data={pools.map((pool) => pool.name)}
        value={now?.name ?? null}
        allowDeselect={false}
        disabled={bind.isPending}
        onChange={(pool) => pool && bind.mutate(pool)}
      />
      <ActionError error={bind.error} />
    </div>
  );
}
