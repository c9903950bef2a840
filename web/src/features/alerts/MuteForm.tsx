// SPDX-License-Identifier: Apache-2.0
import { Autocomplete, Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
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

/** For a while a scenario notifies nobody; what moves is recorded all the same. */
export function MuteForm({ project, scenarios, scenario: first, onDone }: Props) {
  const form = useForm({ initialValues: { scenario: first ?? "", days: "7", why: "" } });
  const { scenario, days, why } = form.values;
  const mute = useAction(() => addMute(project, { scenario, until: muteUntil(days, Date.now()), why }), {
    renews: ["mutes", "alerts", "alert", "project"],
    onDone,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => mute.mutate(undefined))}>
      <p className="soft">
        The server sends no notification about these scenarios while they are muted. Changes are recorded and
        shown as muted.
      </p>
      <Autocomplete
        label="Scenario"
        description="A name, or a pattern such as sfc_*"
        required
        data={[...scenarios]}
        openOnFocus={false}
        comboboxProps={{ withinPortal: false }}
        {...form.getInputProps("scenario")}
        data-autofocus
      />
      <Select
        label="For"
        data={MUTE_FOR}
        comboboxProps={{ withinPortal: false }}
        allowDeselect={false}
        {...form.getInputProps("days")}
      />
      <TextInput label="Why" required {...form.getInputProps("why")} />
      <ActionError error={mute.error} />
      <Button type="submit" loading={mute.isPending} disabled={!scenario.trim() || !why.trim()}>
        Mute
      </Button>
    </form>
  );
}
