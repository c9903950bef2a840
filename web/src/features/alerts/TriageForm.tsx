// SPDX-License-Identifier: Apache-2.0
import { Button, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ALERT_RENEWS, setAlertState } from "../../shared/api/alerts";
import type { AlertDetail } from "../../shared/api/types";
import { boundOf, type Triage } from "../../shared/logic/alerts";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";

interface Props {
  alert: AlertDetail;
  asked: Triage;
  onDone: () => void;
}

const SAYS: Record<string, string> = {
  expected: "Nobody is told of it up to the bound, and the history begins anew at this commit.",
  false_alarm:
    "There was nothing. Its series are taken to be that noisy from now on, which fades with time; reopening takes it back.",
  fixed: "A later commit undid it. The service sees that by itself when it measures such a commit.",
  reopened: "It is open again, and what was said of it is taken back.",
};

/** Says what a finding is, and why; with a bound or the commit that fixed it, where that belongs to it. */
export function TriageForm({ alert, asked, onDone }: Props) {
  const [why, setWhy] = useState("");
  const [extra, setExtra] = useState("");
  const { state } = asked;
  const typed = extra.trim();
  const bound = typed === "" ? null : boundOf(typed.replace("%", "").replace("\u2212", "-"));
  const wrong = state === "expected" && typed !== "" && bound === null;
  const tell = useAction(
    () =>
      setAlertState(alert.id, {
        state,
        why,
        bound: state === "expected" ? bound : null,
        fixed_by: state === "fixed" && typed !== "" ? typed : null,
      }),
    { renews: ALERT_RENEWS, onDone },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!wrong) tell.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <p className="soft">{SAYS[state]}</p>
      <Textarea
        label="Why"
        required
        autosize
        minRows={2}
        value={why}
        onChange={(event) => setWhy(event.currentTarget.value)}
        data-autofocus
      />
      {state === "expected" && (
        <TextInput
          label="Up to, in per cent"
          description="Such as +3. Empty: as far as each scenario has moved."
          inputMode="decimal"
          value={extra}
          error={wrong ? "A number of per cent, such as 3 or -2.5." : undefined}
          onChange={(event) => setExtra(event.currentTarget.value)}
        />
      )}
      {state === "fixed" && (
        <TextInput
          label="By the commit"
          description="Empty: not known"
          pattern="[0-9a-f]{7,64}"
          value={extra}
          onChange={(event) => setExtra(event.currentTarget.value)}
        />
      )}
      <ActionError error={tell.error} />
      <Button type="submit" loading={tell.isPending} disabled={!why.trim()}>
        {asked.word.replace("…", "")}
      </Button>
    </form>
  );
}
