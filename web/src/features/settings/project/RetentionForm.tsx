// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import type { Retention } from "../../../shared/api/types";
import { bytes } from "../../../shared/logic/text/format";
import { NumberField } from "../../../shared/ui/fields/NumberField";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { SaveState } from "../../../shared/ui/SaveState";
import { setRetention } from "../api";

/** How long raw reports and logs are kept. Runs and verdicts always are. */
export function RetentionForm({ project, now }: { project: string; now: Retention }) {
  const of = useStoredForm({ reports: now.rules.report_days, logs: now.rules.log_days });
  const { form } = of;
  const { reports, logs } = form.values;
  const save = useAction(() => setRetention(project, { report_days: reports, log_days: logs }), {
    renews: ["retention"],
    onDone: of.onSent,
  });
  const due = now.due.reduce((sum, one) => sum + one.bytes, 0);
  const days = { min: 1, max: 36_500, allowDecimal: false } as const;
  return (
    <form className="form" onSubmit={form.onSubmit(() => save.mutate(undefined))}>
      <NumberField
        label="Days raw reports are kept"
        {...days}
        value={reports}
        onChange={(value) => form.setFieldValue("reports", value)}
      />
      <NumberField
        label="Days logs are kept"
        {...days}
        value={logs}
        onChange={(value) => form.setFieldValue("logs", value)}
      />
      <p className="soft">
        {now.own ? "The project's own rules" : "The server's settings"}; the next sweep removes {bytes(due)}.
        Runs and verdicts are kept always.
      </p>
      <SaveState save={save} of={of} />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
