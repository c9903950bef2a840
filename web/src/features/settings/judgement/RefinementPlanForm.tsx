// SPDX-License-Identifier: Apache-2.0
import type { RefinementPlan } from "../../../shared/api/types";
import { NumberField } from "../../../shared/ui/fields/NumberField";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { DailyPlanForm } from "./DailyPlanForm";
import { setRefinementPlan } from "./rules";

const DAY_MINUTES = 1440;
/** Per cent. */
const [FINEST, COARSEST] = [0.1, 99];
const DOES =
  "Hosts without other work measure pairs on that were the same or inconclusive, the newest first, until they are decided at a finer margin. These runs enter no history and raise no alert.";

/** How long idle hosts measure undecided pairs on each day, and to which margin. */
export function RefinementPlanForm({ project, now }: { project: string; now: RefinementPlan }) {
  const of = useStoredForm({
    minutes: now.minutes_per_day,
    percent: Number((now.margin * 100).toPrecision(6)),
  });
  const { form } = of;
  const save = useAction(
    ({ minutes, percent }: typeof form.values) => setRefinementPlan(project, minutes, percent / 100),
    { renews: ["refinement-plan"], onDone: of.onSent },
  );
  return (
    <DailyPlanForm
      does={DOES}
      nextAt={now.next_at}
      save={save}
      of={of}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <NumberField
        label="Minutes of hosts a day"
        description="0: none"
        min={0}
        max={DAY_MINUTES}
        clampBehavior="strict"
        allowDecimal={false}
        value={form.values.minutes}
        onChange={(value) => form.setFieldValue("minutes", value)}
      />
      <NumberField
        label="Margin, %"
        description={`Change of cycles that matters, ${FINEST} or more`}
        min={FINEST}
        max={COARSEST}
        step={0.1}
        value={form.values.percent}
        onChange={(value) => form.setFieldValue("percent", value)}
      />
    </DailyPlanForm>
  );
}
