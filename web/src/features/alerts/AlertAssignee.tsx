// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ALERT_RENEWS, assignAlert } from "../../shared/api/alerts";
import type { AlertDetail } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useKeptFocus } from "../../shared/ui/hooks/useKeptFocus";
import { useMay, useSession } from "../../shared/ui/hooks/useSession";

/** Assignee; developers give it to themselves, to somebody else or to nobody. */
export function AlertAssignee({ alert }: { alert: AlertDetail }) {
  const allowed = useMay(alert.project, "developer");
  const me = useSession()?.name ?? null;
  const kept = useKeptFocus<HTMLFormElement>();
  const form = useForm({ initialValues: { name: "" } });
  const { name } = form.values;
  const assign = useAction((to: string | null) => assignAlert(alert.id, to), {
    renews: ALERT_RENEWS,
    onDone: form.reset,
  });
  return (
    <>
      <p>
        {alert.assignee ? (
          <>
            <strong>{alert.assignee}</strong> is assigned.
          </>
        ) : (
          "Nobody is assigned."
        )}
      </p>
      {allowed && (
        <form
          className="form-line spaced"
          {...kept}
          onSubmit={form.onSubmit(() => assign.mutate(name.trim()))}
        >
          {me !== null && alert.assignee !== me && (
            <Button size="xs" variant="default" loading={assign.isPending} onClick={() => assign.mutate(me)}>
              Assign to me
            </Button>
          )}
          {alert.assignee !== null && (
            <Button
              size="xs"
              variant="default"
              loading={assign.isPending}
              onClick={() => assign.mutate(null)}
            >
              Nobody
            </Button>
          )}
          <TextInput size="xs" aria-label="Account" placeholder="Account" {...form.getInputProps("name")} />
          <Button type="submit" size="xs" variant="default" disabled={!name.trim()}>
            Assign
          </Button>
          <ActionError error={assign.error} />
        </form>
      )}
    </>
  );
}
