// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { moveHost } from "../api/administration";
import type { BenchHost } from "../api/types";
import { ActionError } from "./ActionError";
import { useAction } from "./useAction";

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
      <TextInput
        label="Pool"
        required
        maxLength={64}
        pattern="[a-z0-9][a-z0-9\-]*"
        value={pool}
        onChange={(event) => setPool(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={pool === host.pool} loading={move.isPending}>
        Move it
      </Button>
      <ActionError error={move.error} />
    </form>
  );
}
