// SPDX-License-Identifier: Apache-2.0
import { Button, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ALERT_RENEWS, setAlertState } from "../../shared/api/alerts";
import type { AlertDetail } from "../../shared/api/types";
import { boundOf, type Triage } from "../../shared/logic/alerts";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";

interface Props {
  alert: AlertDetail;
  requested: Triage;
  onDone: () => void;
}

const SAYS: Record<string, string> = {
  expected: "Up to the bound nobody is notified, and the history restarts at this commit.",
  false_alarm:
    "There was no change. The noise floor of the series is raised to this size and decays with time. Reopening the alert undoes this.",
  fixed: "A later commit undid it. The server detects this itself when it measures that commit.",
  reopened: "The alert is open again, and the earlier decision is undone.",
};

const boundFault = (value: string): string | null =>
  value.trim() === "" || boundOf(value) !== null ? null : "A number of per cent, such as 3 or -2.5.";

/** Says what a finding is, and why; with a bound or the commit that fixed it, where that belongs to it. */
export function TriageForm({ alert, requested, onDone }: Props) {
  const form = useForm({
    initialValues: { why: "", extra: "" },
    validate: { extra: (value) => (requested.state === "expected" && boundFault(value)) || null },
    validateInputOnChange: ["extra"],
  });
  const { why, extra } = form.values;
  const { state } = requested;
  const typed = extra.trim();
  const setState = useAction(
    () =>
      setAlertState(alert.id, {
        state,
        why,
        bound: state === "expected" && typed !== "" ? boundOf(typed) : null,
        fixed_by: state === "fixed" && typed !== "" ? typed : null,
      }),
    { renews: ALERT_RENEWS, onDone },
  );
  return (
    <form className="form" onSubmit={form.onSubmit(() => setState.mutate(undefined))}>
      <p className="soft">{SAYS[state]}</p>
      <Textarea label="Why" required autosize minRows={2} {...form.getInputProps("why")} data-autofocus />
      {state === "expected" && (
        <TextInput
          label="Up to, in per cent"
          description="For example +3. Empty: as much as each scenario changed."
          inputMode="decimal"
          {...form.getInputProps("extra")}
        />
      )}
      {state === "fixed" && (
        <TextInput
          label="By the commit"
          description="Empty: not known"
          pattern="[0-9a-f]{7,64}"
          {...form.getInputProps("extra")}
        />
      )}
      <ActionError error={setState.error} />
      <Button type="submit" loading={setState.isPending} disabled={!why.trim()}>
        {requested.word.replace("…", "")}
      </Button>
    </form>
  );
}
