// SPDX-License-Identifier: Apache-2.0
/** Tokens that work, each with a button that ends it, and a form for another one. */
import { Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Token } from "../api/types";
import { ago, moment } from "../logic/text/format";
import { ActionError } from "./ActionError";
import { NumberField } from "./fields/NumberField";
import { useAction } from "./hooks/useAction";
import { useNow } from "./hooks/useNow";
import { Rows } from "./lists/Rows";
import { SecretOnce } from "./SecretOnce";

export interface TokenRequest {
  name: string;
  scope: string;
  days: number;
}

interface Props {
  tokens: readonly Token[];
  /** What one of them may be for, the usual first. */
  scopes: readonly string[];
  onAdd: (requested: TokenRequest) => Promise<{ token: string }>;
  onRevoke: (id: number) => Promise<void>;
}

export function TokenList({ tokens, scopes, onAdd, onRevoke }: Props) {
  const valid = tokens.filter((token) => token.revoked_at === null);
  const revoke = useAction(onRevoke, { renews: ["tokens"] });
  const now = useNow();
  return (
    <>
      {valid.length === 0 && <p className="soft">None yet.</p>}
      <Rows>
        {valid.map((token) => (
          <li key={token.id} className="row">
            <span className="row-main">
              <strong>{token.name}</strong> <span className="tag">{token.scope}</span>
              <span className="below">
                {token.last_used_at ? `used ${ago(token.last_used_at, now)}` : "never used"}
                {token.expires_at && `, expires ${moment(token.expires_at)}`}
              </span>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Revoke ${token.name}`}
              onClick={() => revoke.mutate(token.id)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </Rows>
      <ActionError error={revoke.error} />
      <NewToken scopes={scopes} onAdd={onAdd} />
    </>
  );
}

function NewToken({ scopes, onAdd }: Pick<Props, "scopes" | "onAdd">) {
  const form = useForm({ initialValues: { name: "", scope: scopes[0] ?? "read", days: 365 } });
  const { name, scope, days } = form.values;
  const add = useAction(() => onAdd({ name, scope, days }), {
    renews: ["tokens"],
    onDone: () => form.setFieldValue("name", ""),
  });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <TextInput
        label="New token"
        placeholder="Name of the token"
        required
        maxLength={64}
        {...form.getInputProps("name")}
      />
      <Select label="Scope" data={[...scopes]} allowDeselect={false} {...form.getInputProps("scope")} />
      <NumberField
        label="Days"
        min={1}
        max={3650}
        allowDecimal={false}
        value={days}
        onChange={(value) => form.setFieldValue("days", value)}
      />
      <Button type="submit" variant="default" loading={add.isPending}>
        Create token
      </Button>
      <ActionError error={add.error} />
      {add.data && <SecretOnce title="The token" text={add.data.token} />}
    </form>
  );
}
