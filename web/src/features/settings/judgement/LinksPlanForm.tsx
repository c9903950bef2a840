// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { LinksPlan } from "../../../shared/api/types";
import { moment, plain } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { setLinksPlan } from "./rules";

const MOST = 200;

/** How many comparisons over distances idle hosts make each day. */
export function LinksPlanForm({ project, now }: { project: string; now: LinksPlan }) {
  const form = useForm({ initialValues: { links: now.links_per_day } });
  const save = useAction((links: number) => setLinksPlan(project, links), { renews: ["links-plan"] });
  return (
    <form className="form" onSubmit={form.onSubmit(({ links }) => save.mutate(links))}>
      <p className="soft">
        Hosts without other work compare distant commits and releases, those first that gain most. The levels
        of the history become more exact.
      </p>
      <NumberInput
        label="Comparisons a day"
        description="0: none"
        min={0}
        max={MOST}
        clampBehavior="strict"
        allowDecimal={false}
        value={form.values.links}
        onChange={(value) => form.setFieldValue("links", Number(value) || 0)}
      />
      <p className="soft">
        {now.next_at === null ? "None is planned." : `The next ones are planned from ${moment(now.next_at)}.`}
        {now.seconds_per_day !== null &&
          now.links_per_day > 0 &&
          ` They take about ${plain(now.seconds_per_day / 60)} minutes of a host a day.`}
      </p>
      <ActionError error={save.error} />
      {save.isSuccess && <p role="status">Saved.</p>}
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
