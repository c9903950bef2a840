// SPDX-License-Identifier: Apache-2.0
import { Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Schedule } from "../../../shared/api/types";
import { KIND_CHOICES, type RunKind } from "../../../shared/logic/run/kinds";
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
  const form = useForm({
    initialValues: { name: "", cron: NIGHTLY, against: "previous" as Against, kind: "cycles" as RunKind },
  });
  const { name, cron, against, kind } = form.values;
  const add = useAction(() => addSchedule(project, { name, cron, against, kind, enabled: true }), {
    renews: ["schedules"],
    onDone: () => {
      form.setFieldValue("name", "");
      form.setFieldValue("cron", NIGHTLY);
    },
  });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <TextInput
        label="New schedule"
        placeholder="nightly"
        required
        maxLength={64}
        {...form.getInputProps("name")}
      />
      <TextInput
        label="Minute, hour, day, month, weekday (UTC)"
        required
        maxLength={128}
        spellCheck={false}
        {...form.getInputProps("cron")}
      />
      <Select label="Compared with" data={AGAINST} allowDeselect={false} {...form.getInputProps("against")} />
      <Select
        label="What is measured"
        data={KIND_CHOICES}
        allowDeselect={false}
        {...form.getInputProps("kind")}
      />
      <Button type="submit" variant="default" loading={add.isPending}>
        Add it
      </Button>
      <ActionError error={add.error} />
    </form>
  );
}
