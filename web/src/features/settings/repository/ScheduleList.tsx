// SPDX-License-Identifier: Apache-2.0
import { Button, Switch } from "@mantine/core";
import type { Schedule } from "../../../shared/api/types";
import { AGAINST_WORDS } from "../../../shared/logic/settings";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { Rows } from "../../../shared/ui/lists/Rows";
import { changeSchedule, removeSchedule } from "./schedules";

/** A project's schedules: when, against what, and what came of each last. */
export function ScheduleList({ project, of }: { project: string; of: readonly Schedule[] }) {
  if (of.length === 0) return <p className="soft">None yet.</p>;
  return (
    <Rows>
      {of.map((one) => (
        <Row key={one.name} project={project} one={one} />
      ))}
    </Rows>
  );
}

function Row({ project, one }: { project: string; one: Schedule }) {
  const renews = ["schedules"];
  const change = useAction((enabled: boolean) => changeSchedule(project, one.name, { enabled }), { renews });
  const remove = useAction(() => removeSchedule(project, one.name), { renews });
  return (
    <li className="row">
      <span className="row-main">
        <strong>{one.name}</strong> <code>{one.cron}</code>
        <span className="below">
          against {AGAINST_WORDS[one.against].toLowerCase()}
          {one.scenarios && ` · ${one.scenarios.join(", ")}`}
          {one.next_at && ` · next ${moment(one.next_at)}`}
        </span>
        {one.message && (
          <span className="below">
            {one.last_at && `${moment(one.last_at)}: `}
            {one.message}
          </span>
        )}
      </span>
      <Switch
        label="On"
        aria-label={`Use ${one.name}`}
        checked={one.enabled}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Remove ${one.name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
      <ActionError error={change.error ?? remove.error} />
    </li>
  );
}
