// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { setProject } from "../../../shared/api/administration";
import type { Project } from "../../../shared/api/types";
import { ProjectFields } from "../../../shared/ui/fields/ProjectFields";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useSession } from "../../../shared/ui/hooks/useSession";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { Facts } from "../../../shared/ui/run/HostFacts";
import { SaveState } from "../../../shared/ui/SaveState";

/** Name, repository and default branch; administrators change them, others see them. */
export function ProjectForm({ about }: { about: Project }) {
  const administrator = useSession()?.administrator ?? false;
  if (!administrator)
    return (
      <>
        <Facts
          pairs={[
            ["Name", about.name],
            ["Repository", about.repository],
            ["Default branch", about.default_branch],
          ]}
        />
        <p className="soft">An administrator can change them.</p>
      </>
    );
  return <Editor about={about} />;
}

function Editor({ about }: { about: Project }) {
  const navigate = useNavigate();
  const { name, repository, default_branch } = about;
  const of = useStoredForm({ name, repository, default_branch });
  const { form } = of;
  const save = useAction(() => setProject(about.name, of.changed), {
    renews: ["project", "projects", "branch filters"],
    onDone: (moved) => {
      of.onSent();
      if (moved.name !== about.name)
        navigate({ to: "/p/$project/settings", params: { project: moved.name }, replace: true });
    },
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => save.mutate(undefined))}>
      <ProjectFields
        about={form.values}
        onChange={form.setValues}
        nameHelp="Links, webhook addresses and uploads with the old name stop working"
        repositoryHelp="The address that git clones. After a change, set the read token again."
      />
      <SaveState save={save} of={of} />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
