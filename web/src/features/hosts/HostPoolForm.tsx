// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { moveHost } from "../../shared/api/administration";
import type { BenchHost } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { PoolInput } from "../../shared/ui/PoolInput";

/** Moves the host into another pool; for administrators. */
export function HostPoolForm({ host }: { host: BenchHost }) {
  const [pool, setPool] = useState(host.pool);
  const move = useAction(() => moveHost(host.name, pool), { renews: ["hosts", "pools"] });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    move.mutate(undefined);
  };
  return (
    <form className="form-line" onSubmit={submit}>
      <PoolInput value={pool} onChange={setPool} />
      <Button type="submit" variant="default" disabled={pool === host.pool} loading={move.isPending}>
        Move it
      </Button>
      <ActionError error={move.error} />
    </form>
  );
}
