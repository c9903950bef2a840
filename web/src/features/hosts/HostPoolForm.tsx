// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { moveHost } from "../../shared/api/administration";
import type { BenchHost } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { PoolInput } from "../../shared/ui/fields/PoolInput";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../shared/ui/hooks/useStoredForm";

/** Moves the host into another pool; for administrators. */
export function HostPoolForm({ host }: { host: BenchHost }) {
  const { form } = useStoredForm({ pool: host.pool });
  const { pool } = form.values;
  const move = useAction(() => moveHost(host.name, pool), { renews: ["hosts", "pools"] });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => move.mutate(undefined))}>
      <PoolInput value={pool} onChange={(next) => form.setFieldValue("pool", next)} />
      <Button type="submit" variant="default" disabled={pool === host.pool} loading={move.isPending}>
        Change pool
      </Button>
      <ActionError error={move.error} />
    </form>
  );
}
