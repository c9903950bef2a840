// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import type { BranchFilterSettingsShown } from "../../../shared/api/types";
import { hookAddresses } from "../../../shared/logic/settings";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { Icon } from "../../../shared/ui/Icon";
import { Facts } from "../../../shared/ui/run/HostFacts";
import { SecretOnce } from "../../../shared/ui/SecretOnce";
import { changeSecret } from "../api";
import { tryWebhook } from "./deliveries";

/** What to enter at the forge. */
export function WebhookPanel({ project, now }: { project: string; now: BranchFilterSettingsShown }) {
  const change = useAction(() => changeSecret(project), { renews: ["branch filters"] });
  return (
    <>
      <Facts
        pairs={[
          ...hookAddresses(window.location.origin, project).map(
            ([forge, address]) => [forge, <code key={forge}>{address}</code>] as const,
          ),
          ["Last read", now.reconciled_at ? moment(now.reconciled_at) : "not yet"],
          ...(now.reconcile_error ? [["Cannot be read", now.reconcile_error] as const] : []),
          ...(now.previous_secret_until
            ? [["Old secret valid until", moment(now.previous_secret_until)] as const]
            : []),
        ]}
      />
      <div className="form-line spaced">
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(undefined)}
        >
          Change the webhook secret
        </Button>
        <span className="soft">The current secret stays valid for 24 hours.</span>
        <ActionError error={change.error} />
        {change.data && <SecretOnce title="The new secret" text={change.data.webhook_secret} />}
      </div>
      <Trial project={project} />
    </>
  );
}

function Trial({ project }: { project: string }) {
  const trial = useAction(() => tryWebhook(project));
  return (
    <div className="form-line spaced">
      <Button size="xs" variant="default" loading={trial.isPending} onClick={() => trial.mutate(undefined)}>
        Send a test delivery
      </Button>
      <span className="soft">
        A signed ping from this server to itself. Use the forge's own test to check that the forge can reach
        the server.
      </span>
      {trial.data && (
        <p role="status" className="better trial">
          <Icon name="check" /> Signature accepted. {trial.data.reason}.
        </p>
      )}
      <ActionError error={trial.error} />
    </div>
  );
}
