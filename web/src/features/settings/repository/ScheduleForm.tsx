// SPDX-License-Identifier: Apache-2.0
import { Button, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Schedule } from "../../../shared/api/types";
import { AGAINST_WORDS } from "../../../shared/logic/settings";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { addSchedule } from "./schedules";

type Against = Schedule["against"];
const AGAINST = (Object.keys(AGAINST_WORDS) as Against[]).map((value) => ({
  value,
  label: AGAINST_WORDS[value],
}));
const NIGHTLY = "0 3 * * *";

/** Another set time at which the default branch's tip is measured. */
export function ScheduleForm({ project }: { project: string }) {
  const [name, setName] = useState("");
  const [cron, setCron] = useState(NIGHTLY);
  const [against, setAgainst] = useState<Against>("previous");
  const add = useAction(() => addSchedule(project, { name, cron, against, enabled: true }), {
    renews: ["schedules"],
    onDone: () => {
      setName("");
      setCron(NIGHTLY);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <form className="form-line" onSubmit={submit}>
      <TextInput
        label="New schedule"
        placeholder="nightly"
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Minute, hour, day, month, weekday (UTC)"
        required
        maxLength={128}
        spellCheck={false}
        value={cron}
        onChange={(event) => setCron(event.currentTarget.value)}
      />
      <Select
        label="Compared with"
        data={AGAINST}
        value={against}
        allowDeselect={false}
        onChange={(next) => setAgainst(next as Against)}
      />
      <Button type="submit" variant="default" loading={add.isPending}>
        Add it
      </Button>
      <ActionError error={add.error} />
    </form>
  );
}
