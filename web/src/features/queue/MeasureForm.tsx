// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { measure } from "../../shared/api/jobs";
import type { JobDetail } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";

interface Props {
  project: string;
  head: string | undefined;
  onDone: (job: JobDetail) => void;
}

/** One commit, branch or tag, measured before everything nobody waits for. */
export function MeasureForm({ project, head, onDone }: Props) {
  const [wanted, setWanted] = useState(head ?? "");
  const [base, setBase] = useState("");
  const ask = useAction(() => measure(project, { head: wanted, base: base || null }), {
    renews: ["jobs", "commits"],
    onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <TextInput
        label="Commit, branch or tag"
        required
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      <TextInput
        label="Compared with"
        description="Empty: where it left the default branch; on that branch, its parent"
        value={base}
        onChange={(event) => setBase(event.currentTarget.value)}
      />
      <ActionError error={ask.error} />
      <Button type="submit" loading={ask.isPending}>
        Measure
      </Button>
    </form>
  );
}
