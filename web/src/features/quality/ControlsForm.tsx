// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { ActionError } from "../../shared/ui/ActionError";
import { NumberField } from "../../shared/ui/fields/NumberField";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useStoredForm } from "../../shared/ui/hooks/useStoredForm";
import { setControls } from "./api";

const MOST = 96;

/** How often a day code is measured against itself, for those who may say so. */
export function ControlsForm({ project, perDay }: { project: string; perDay: number }) {
  const allowed = useMay(project, "maintainer");
  const { form } = useStoredForm({ controls: perDay });
  const { controls } = form.values;
  const set = useAction(() => setControls(project, { controls_per_day: controls }), { renews: ["quality"] });
  if (!allowed) return null;
  return (
    <form className="form-line spaced" onSubmit={form.onSubmit(() => set.mutate(undefined))}>
      <NumberField
        label="Controls a day"
        description="0: none"
        size="xs"
        min={0}
        max={MOST}
        allowDecimal={false}
        value={controls}
        onChange={(value) => form.setFieldValue("controls", value)}
      />
      <Button
        type="submit"
        size="xs"
        variant="default"
        loading={set.isPending}
        disabled={controls === perDay}
      >
        Save
      </Button>
      <ActionError error={set.error} />
    </form>
  );
}
