// SPDX-License-Identifier: Apache-2.0
/** People who can sign in: one-time links for new ones, administrators, and disabled accounts. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { addAccount, changeAccount, linkAccount } from "../../../shared/api/administration";
import type { Account, AccountChange } from "../../../shared/api/types";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useSession } from "../../../shared/ui/hooks/useSession";
import { Rows } from "../../../shared/ui/lists/Rows";
import { SecretOnce } from "../../../shared/ui/SecretOnce";

const RENEWS = ["accounts"];

export function AccountsPanel({ accounts }: { accounts: readonly Account[] }) {
  const self = useSession()?.name;
  return (
    <>
      <Rows>
        {accounts.map((one) => (
          <Row key={one.name} one={one} self={one.name === self} />
        ))}
      </Rows>
      <NewAccount />
    </>
  );
}

function Row({ one, self }: { one: Account; self: boolean }) {
  const change = useAction((requested: AccountChange) => changeAccount(one.name, requested), {
    renews: RENEWS,
  });
  const link = useAction(() => linkAccount(one.name), { renews: RENEWS });
  return (
    <li className="row">
      <span className="row-main">
        <strong>{one.name}</strong> {one.disabled && <span className="tag">disabled</span>}
        <span className="below">
          {one.signed_in_at ? `signed in ${moment(one.signed_in_at)}` : "never signed in"}
        </span>
      </span>
      <Checkbox
        label="Administrator"
        aria-label={`Administrator: ${one.name}`}
        checked={one.administrator}
        disabled={self || change.isPending}
        onChange={(event) => change.mutate({ administrator: event.currentTarget.checked })}
      />
      {!one.disabled && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`One-time link for ${one.name}`}
          loading={link.isPending}
          onClick={() => link.mutate(undefined)}
        >
          One-time link
        </Button>
      )}
      {!self && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${one.disabled ? "Enable account" : "Disable account"} ${one.name}`}
          loading={change.isPending}
          onClick={() => change.mutate({ disabled: !one.disabled })}
        >
          {one.disabled ? "Enable account" : "Disable account"}
        </Button>
      )}
      {link.data && <SecretOnce title={`One-time sign-in link of ${one.name}`} text={link.data.link} />}
      <ActionError error={change.error ?? link.error} />
    </li>
  );
}

function NewAccount() {
  const form = useForm({ initialValues: { name: "", administrator: false } });
  const { name, administrator } = form.values;
  const add = useAction(() => addAccount(name, administrator), {
    renews: RENEWS,
    onDone: () => form.setFieldValue("name", ""),
  });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <TextInput
        label="Invite a user"
        placeholder="Name of the account"
        required
        maxLength={64}
        autoComplete="off"
        {...form.getInputProps("name")}
      />
      <Checkbox label="Administrator" {...form.getInputProps("administrator", { type: "checkbox" })} />
      <Button type="submit" variant="default" loading={add.isPending}>
        Invite
      </Button>
      <ActionError error={add.error} />
      {add.data && <SecretOnce title={`One-time sign-in link of ${add.data.name}`} text={add.data.link} />}
    </form>
  );
}
