// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Project } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useSession } from "../../../shared/ui/hooks/useSession";
import { ProjectFields, type ProjectNamed } from "../../../shared/ui/ProjectFields";
import { Facts } from "../../../shared/ui/run/HostFacts";
import { setProject } from "../api";

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
  const [wanted, setWanted] = useState<ProjectNamed>({ name, repository, default_branch });
  const save = useAction(() => setProject(about.name, wanted), {
    renews: ["project", "projects", "watching"],
    onDone: (moved) =>
      moved.name !== about.name &&
      navigate({ to: "/p/$project/settings", params: { project: moved.name }, replace: true }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <ProjectFields
        about={wanted}
        onChange={setWanted}
        nameHelp="Links, webhook addresses and uploads that have the name before it no longer find it"
        repositoryHelp="As git clones it; for another one the read token is to be set anew"
      />
      <ActionError error={save.error} />
      {save.isSuccess && <p role="status">Saved.</p>}
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
