// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Retention } from "../../../shared/api/types";
import { bytes } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { setRetention } from "../api";

/** How long raw reports and logs are kept. Runs and verdicts always are. */
export function RetentionForm({ project, now }: { project: string; now: Retention }) {
  const [reports, setReports] = useState(now.rules.report_days);
  const [logs, setLogs] = useState(now.rules.log_days);
  const save = useAction(() => setRetention(project, { report_days: reports, log_days: logs }), {
    renews: ["retention"],
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const due = now.due.reduce((sum, one) => sum + one.bytes, 0);
  const days = { min: 1, max: 36_500, allowDecimal: false } as const;
  return (
    <form className="form" onSubmit={submit}>
      <NumberInput
        label="Days raw reports are kept"
        {...days}
        value={reports}
        onChange={(value) => setReports(Number(value) || 1)}
      />
      <NumberInput
        label="Days logs are kept"
        {...days}
        value={logs}
        onChange={(value) => setLogs(Number(value) || 1)}
      />
      <p className="soft">
        {now.own ? "The project's own rules" : "The server's settings"}; the next sweep removes {bytes(due)}.
        Runs and verdicts are kept always.
      </p>
      <ActionError error={save.error} />
      {save.isSuccess && <p role="status">Saved.</p>}
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
