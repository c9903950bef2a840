// SPDX-License-Identifier: Apache-2.0
/** Makes a project; its secrets are shown once, then the way to the first verdict goes on. */
import { Button, Checkbox } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { addProject } from "../../shared/api/administration";
import { ApiError } from "../../shared/api/client";
import type { ProjectCreated } from "../../shared/api/types";
import { addCommand, isPath } from "../../shared/logic/setup";
import { ActionError } from "../../shared/ui/ActionError";
import { Command } from "../../shared/ui/Command";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { NoAccess } from "../../shared/ui/NoAccess";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { ProjectFields } from "../../shared/ui/ProjectFields";
import { SecretOnce } from "../../shared/ui/SecretOnce";
import { Loading } from "../../shared/ui/States";

export function NewProjectPage() {
  useTitle("New project");
  const session = useSession();
  const [made, setMade] = useState<ProjectCreated | null>(null);
  return (
    <>
      <PageHead title="New project" under="A repository of a network function. Its merges are measured." />
      {session === undefined && <Loading />}
      {session?.administrator === false && (
        <NoAccess
          title="Administrators add projects"
          advice="Ask an administrator to create the project and to make you its maintainer."
        />
      )}
      {session?.administrator && (made ? <Made made={made} /> : <NewForm onMade={setMade} />)}
    </>
  );
}

function NewForm({ onMade }: { onMade: (made: ProjectCreated) => void }) {
  const form = useForm({
    initialValues: { name: "", repository: "", default_branch: "main", open: false, unchecked: false },
  });
  const { open, unchecked, ...about } = form.values;
  const add = useAction(() => addProject({ ...about, public: open, check_repository: !unchecked }), {
    renews: ["projects", "pools"],
    onDone: onMade,
  });
  const unreadable =
    add.error instanceof ApiError && add.error.code === "repository_unreadable" ? add.error : null;
  return (
    <form className="panel form" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <ProjectFields
        about={about}
        onChange={form.setValues}
        nameHelp="Letters, digits, dot, dash and underscore; part of every link"
        repositoryHelp="The address that git clones, from the server and from the bench hosts"
        repositoryExample="https://git.example.org/nf.git"
        repositoryError={unreadable?.message}
      />
      <Checkbox
        label="Public: readable without signing in"
        {...form.getInputProps("open", { type: "checkbox" })}
      />
      {isPath(about.repository) && (
        <div role="status">
          <p>Only the server's own host can add a folder, with the server's --state if it has one:</p>
          <Command text={addCommand(about.name, about.repository)} />
        </div>
      )}
      {(unreadable || unchecked) && (
        <Checkbox
          label="Only the bench hosts can reach it: do not check the repository"
          {...form.getInputProps("unchecked", { type: "checkbox" })}
        />
      )}
      <ActionError error={unreadable ? null : add.error} />
      <Button type="submit" disabled={isPath(about.repository)} loading={add.isPending}>
        Create the project
      </Button>
    </form>
  );
}

function Made({ made }: { made: ProjectCreated }) {
  return (
    <Panel title={`${made.name} was created`}>
      <SecretOnce title="Webhook secret" text={made.webhook_secret} />
      <SecretOnce title="Upload token" text={made.upload_token} />
      <p>
        <Link to="/p/$project/start" params={{ project: made.name }}>
          Continue to the first verdict
        </Link>
      </p>
    </Panel>
  );
}
