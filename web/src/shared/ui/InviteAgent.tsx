// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { inviteAgent } from "../api/administration";
import { registerCommands } from "../logic/setup";
import { ActionError } from "./ActionError";
import { Command } from "./Command";
import { useAction } from "./hooks/useAction";
import { PoolInput } from "./PoolInput";

const HOURS = 24;

/** Makes an invitation and shows the commands of the new host, the token in them, once. */
export function InviteAgent() {
  const [pool, setPool] = useState("default");
  const [name, setName] = useState("");
  const invite = useAction(() => inviteAgent({ pool, hours: HOURS, name: name.trim() || null }), {
    renews: ["invitations"],
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate(undefined);
  };
  return (
    <form className="form-line" onSubmit={submit}>
      <PoolInput value={pool} onChange={setPool} />
      <TextInput
        label="Host"
        placeholder="any new one"
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={invite.isPending}>
        Invite an agent
      </Button>
      <ActionError error={invite.error} />
      {invite.data && (
        <div className="once" role="status">
          <p>
            On the host to measure on, within {HOURS} hours. The token in it works once and is not shown
            again.
          </p>
          <Command text={registerCommands(window.location.origin, invite.data.token)} />
        </div>
      )}
    </form>
  );
}
