// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { setControls } from "./api";

const MOST = 96;

/** How often a day code is measured against itself, for those who may say so. */
export function ControlsForm({ project, perDay }: { project: string; perDay: number }) {
  const allowed = useMay(project, "maintainer");
  const [wanted, setWanted] = useState(perDay);
  const set = useAction(() => setControls(project, { controls_per_day: wanted }), { renews: ["quality"] });
  if (!allowed) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    set.mutate(undefined);
  };
  return (
    <form className="form-line spaced" onSubmit={submit}>
      <NumberInput
        label="Controls a day"
        description="0: none"
        size="xs"
        min={0}
        max={MOST}
        allowDecimal={false}
        value={wanted}
        onChange={(value) => setWanted(Number(value) || 0)}
      />
      <Button type="submit" size="xs" variant="default" loading={set.isPending} disabled={wanted === perDay}>
        Save
      </Button>
      <ActionError error={set.error} />
    </form>
  );
}
