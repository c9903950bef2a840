// SPDX-License-Identifier: Apache-2.0
import type { LinksPlan } from "../../../shared/api/types";
import { plain } from "../../../shared/logic/text/format";
import { NumberField } from "../../../shared/ui/fields/NumberField";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { DailyPlanForm } from "./DailyPlanForm";
import { setLinksPlan } from "./rules";

const MOST = 200;
const DOES =
  "Hosts without other work compare distant commits and releases, those first that gain most. The levels of the history become more exact.";

/** How many comparisons over distances idle hosts make each day. */
export function LinksPlanForm({ project, now }: { project: string; now: LinksPlan }) {
  const of = useStoredForm({ links: now.links_per_day });
  const { form } = of;
  const save = useAction((links: number) => setLinksPlan(project, links), {
    renews: ["links-plan"],
    onDone: of.onSent,
  });
  const minutes = now.links_per_day > 0 && now.seconds_per_day !== null ? now.seconds_per_day / 60 : null;
  return (
    <DailyPlanForm
      does={DOES}
      nextAt={now.next_at}
      save={save}
      of={of}
      onSubmit={form.onSubmit(({ links }) => save.mutate(links))}
      {...(minutes === null ? {} : { costs: `They take about ${plain(minutes)} minutes of a host a day.` })}
    >
      <NumberField
        label="Comparisons a day"
        description="0: none"
        min={0}
        max={MOST}
        clampBehavior="strict"
        allowDecimal={false}
        value={form.values.links}
        onChange={(value) => form.setFieldValue("links", value)}
      />
    </DailyPlanForm>
  );
}
