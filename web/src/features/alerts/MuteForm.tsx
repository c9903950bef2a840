// SPDX-License-Identifier: Apache-2.0
import { Autocomplete, Button, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { addMute } from "../../shared/api/alerts";
import { MUTE_FOR, muteUntil } from "../../shared/logic/alerts";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";

interface Props {
  project: string;
  scenarios: readonly string[];
  scenario?: string | undefined;
  onDone: () => void;
}

/** For a while nobody is told of a scenario; what moves is recorded all the same. */
export function MuteForm({ project, scenarios, scenario: first, onDone }: Props) {
  const [scenario, setScenario] = useState(first ?? "");
  const [days, setDays] = useState("7");
  const [why, setWhy] = useState("");
  const ask = useAction(() => addMute(project, { scenario, until: muteUntil(days, Date.now()), why }), {
    renews: ["mutes", "alerts", "alert", "project"],
    onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <p className="soft">
        Nobody is told of what moves in these scenarios meanwhile. It is recorded, and shown as muted.
      </p>
      <Autocomplete
        label="Scenario"
        description="One, or a pattern such as sfc_*"
        required
        data={[...scenarios]}
        openOnFocus={false}
        comboboxProps={{ withinPortal: false }}
        value={scenario}
        onChange={setScenario}
        data-autofocus
      />
      <Select
        label="For"
        data={MUTE_FOR}
        comboboxProps={{ withinPortal: false }}
        value={days}
        allowDeselect={false}
        onChange={(next) => next !== null && setDays(next)}
      />
      <TextInput label="Why" required value={why} onChange={(event) => setWhy(event.currentTarget.value)} />
      <ActionError error={ask.error} />
      <Button type="submit" loading={ask.isPending} disabled={!scenario.trim() || !why.trim()}>
        Mute
      </Button>
    </form>
  );
}
