// SPDX-License-Identifier: Apache-2.0
/** Makes a project; the steps to its first verdict follow, with the secrets where they are needed. */
import { Button, Checkbox } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId } from "react";
import { addProject } from "../../shared/api/administration";
import { ApiError } from "../../shared/api/client";
import type { ProjectCreated } from "../../shared/api/types";
import { addCommand, isPath, nameFault } from "../../shared/logic/setup";
import { ActionError } from "../../shared/ui/ActionError";
import { Command } from "../../shared/ui/Command";
import { ProjectFields } from "../../shared/ui/fields/ProjectFields";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { NoAccess } from "../../shared/ui/NoAccess";
import { PageHead } from "../../shared/ui/PageHead";
import { Loading } from "../../shared/ui/States";
import { createdQuery } from "./api";

export function NewProjectPage() {
  useTitle("New project");
  const session = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const goOn = (made: ProjectCreated): void => {
    queries.setQueryData(createdQuery(made.name).queryKey, made);
    navigate({ to: "/p/$project/start", params: { project: made.name } });
  };
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
      {session?.administrator && <NewForm onMade={goOn} />}
    </>
  );
}

function NewForm({ onMade }: { onMade: (made: ProjectCreated) => void }) {
  const form = useForm({
    initialValues: { name: "", repository: "", default_branch: "", open: false, unchecked: false },
  });
  const why = useId();
  const { open, unchecked, ...about } = form.values;
  const folder = isPath(about.repository);
  const add = useAction(
    () =>
      addProject({
        ...about,
        default_branch: about.default_branch.trim() || null,
        public: open,
        check_repository: !unchecked,
      }),
    { renews: ["projects", "pools"], onDone: onMade },
  );
  const refused = add.error instanceof ApiError ? add.error : null;
  const unreadable = refused?.code === "repository_unreadable" ? refused : null;
  const branch = refused?.details.find(({ path }) => path === "$.default_branch")?.message;
  const fault = nameFault(about.name);
  const notYet = folder
    ? "A folder is added by the command above."
    : about.name === "" || about.repository.trim() === ""
      ? "Enter a name and a repository."
      : fault && "Correct the name.";
  return (
    <form className="panel form" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <ProjectFields
        about={about}
        onChange={form.setValues}
        nameHelp="Letters, digits and . _ : + @ -; part of every link"
        repositoryHelp="The address that git clones, from the server and from the bench hosts"
        repositoryExample="https://git.example.org/nf.git"
        branchUsual="The branch of the repository's HEAD"
        errors={{ name: fault, repository: unreadable?.message, default_branch: branch }}
      />
      <Checkbox
        label="Public: readable without signing in"
        {...form.getInputProps("open", { type: "checkbox" })}
      />
      {folder && (
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
      <ActionError error={unreadable || branch ? null : add.error} />
      <Button
        type="submit"
        disabled={Boolean(notYet)}
        aria-describedby={notYet ? why : undefined}
        loading={add.isPending}
      >
        Create the project
      </Button>
      {notYet && (
        <p id={why} className="soft">
          {notYet}
        </p>
      )}
    </form>
  );
}
