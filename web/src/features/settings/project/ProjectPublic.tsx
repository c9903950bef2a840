// SPDX-License-Identifier: Apache-2.0
import { Switch } from "@mantine/core";
import { setProject } from "../../../shared/api/administration";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";

/** Whether the project is for everybody to read. */
export function ProjectPublic({ project, value }: { project: string; value: boolean }) {
  const change = useAction((requested: boolean) => setProject(project, { public: requested }), {
    renews: ["project", "projects"],
  });
  return (
    <>
      <Switch
        label="Public: readable without signing in"
        checked={value}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <ActionError error={change.error} />
    </>
  );
}
