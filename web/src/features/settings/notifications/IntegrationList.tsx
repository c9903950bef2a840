// SPDX-License-Identifier: Apache-2.0
import { Button, Switch } from "@mantine/core";
import type { Integration } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { Icon } from "../../../shared/ui/Icon";
import { Rows } from "../../../shared/ui/lists/Rows";
import { enableIntegration, removeIntegration, testIntegration } from "../api";

/** Integrations: each can be tried and switched off. */
export function IntegrationList({ project, of }: { project: string; of: readonly Integration[] }) {
  if (of.length === 0) return <p className="soft">None yet.</p>;
  return (
    <Rows>
      {of.map((one) => (
        <Row key={one.id} project={project} one={one} />
      ))}
    </Rows>
  );
}

function Row({ project, one }: { project: string; one: Integration }) {
  const trial = useAction(() => testIntegration(project, one.id));
  const change = useAction((enabled: boolean) => enableIntegration(project, one.id, enabled), {
    renews: ["integrations"],
  });
  const remove = useAction(() => removeIntegration(project, one.id), { renews: ["integrations"] });
  return (
    <li className="row">
      <span className="row-main">
        <strong>{one.name}</strong> <span className="tag">{one.kind}</span>
        <span className="below">{one.events.length > 0 ? one.events.join(", ") : "every result"}</span>
      </span>
      <Switch
        label="On"
        aria-label={`Use ${one.name}`}
        checked={one.enabled}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Try it: ${one.name}`}
        loading={trial.isPending}
        onClick={() => trial.mutate(undefined)}
      >
        Try it
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Remove ${one.name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
      {trial.data && (
        <p role="status" className={trial.data.works ? "better" : "worse"}>
          <Icon name={trial.data.works ? "check" : "invalid"} /> {trial.data.message}
        </p>
      )}
      <ActionError error={trial.error ?? change.error ?? remove.error} />
    </li>
  );
}
