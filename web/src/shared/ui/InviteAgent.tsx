// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { inviteAgent } from "../api/administration";
import { registerCommands } from "../logic/setup";
import { ActionError } from "./ActionError";
import { Command } from "./Command";
import { PoolInput } from "./fields/PoolInput";
import { useAction } from "./hooks/useAction";

const HOURS = 24;

/** Makes an invitation and shows the commands of the new host, the token in them, once. */
export function InviteAgent() {
  const form = useForm({ initialValues: { pool: "default", name: "" } });
  const { pool, name } = form.values;
  const invite = useAction(() => inviteAgent({ pool, hours: HOURS, name: name.trim() || null }), {
    renews: ["invitations"],
  });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => invite.mutate(undefined))}>
      <PoolInput value={pool} onChange={(next) => form.setFieldValue("pool", next)} />
      <TextInput label="Host" placeholder="any new one" maxLength={128} {...form.getInputProps("name")} />
      <Button type="submit" variant="default" loading={invite.isPending}>
        Invite an agent
      </Button>
      <ActionError error={invite.error} />
      {invite.data && (
        <div className="once" role="status">
          <p>Run this on the bench host within {HOURS} hours. The token works once and is not shown again.</p>
          <Command text={registerCommands(window.location.origin, invite.data.token)} />
        </div>
      )}
    </form>
  );
}
