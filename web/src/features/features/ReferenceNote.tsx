// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { setProject } from "../../shared/api/administration";
import { commitsQuery } from "../../shared/api/queries";
import { ActionError } from "../../shared/ui/ActionError";
import { CommitPicker } from "../../shared/ui/fields/CommitPicker";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { Panel } from "../../shared/ui/Panel";

/** Shown while no commit is the project's reference; maintainers choose one here. */
export function ReferenceNote({ project }: { project: string }) {
  const maintains = useMay(project, "maintainer");
  return (
    <Panel title="No reference yet">
      <p className="soft">
        Prices and NCPP are relative to a reference commit: a release, or any other measured commit.
        {maintains ? " Choose it here; it can be changed later." : " A maintainer chooses it."}
      </p>
      {maintains && <Chooser project={project} />}
    </Panel>
  );
}

const OFFERED = 500;

function Chooser({ project }: { project: string }) {
  const { data: commits = [] } = useQuery(commitsQuery(project, undefined, OFFERED));
  const [sha, setSha] = useState<string>();
  const measured = commits.filter((commit) => commit.verdicts.length > 0);
  const set = useAction((reference: string) => setProject(project, { reference }), {
    renews: ["prices", "ncpp", "project", "projects"],
  });
  return (
    <form
      className="form-line spaced"
      onSubmit={(event) => {
        event.preventDefault();
        if (sha) set.mutate(sha);
      }}
    >
      <CommitPicker label="Reference commit" commits={measured} value={sha} onChange={setSha} />
      <Button type="submit" loading={set.isPending} disabled={sha === undefined}>
        Set the reference
      </Button>
      <ActionError error={set.error} />
    </form>
  );
}
