// SPDX-License-Identifier: Apache-2.0
import { Button, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Member } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { type ProjectRole, removeMember, setMember } from "../api";

const ROLES: ProjectRole[] = ["reader", "developer", "maintainer"];

/** Who has which role. */
export function PeoplePanel({ project, people }: { project: string; people: readonly Member[] }) {
  const [account, setAccount] = useState("");
  const [role, setRole] = useState<ProjectRole>("developer");
  const renews = ["people", "session"];
  const set = useAction(
    (one: { account: string; role: ProjectRole }) => setMember(project, one.account, one.role),
    {
      renews,
      onDone: () => setAccount(""),
    },
  );
  const remove = useAction((name: string) => removeMember(project, name), { renews });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    set.mutate({ account, role });
  };
  return (
    <>
      {people.length === 0 && <p className="soft">Nobody but administrators.</p>}
      <ul className="rows">
        {people.map((one) => (
          <li key={one.account} className="row">
            <span className="row-main">{one.account}</span>
            <Select
              aria-label={`Role of ${one.account}`}
              size="xs"
              data={ROLES}
              value={one.role}
              allowDeselect={false}
              onChange={(next) => set.mutate({ account: one.account, role: next as ProjectRole })}
            />
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${one.account}`}
              onClick={() => remove.mutate(one.account)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <form className="form-line" onSubmit={submit}>
        <TextInput
          label="Account"
          required
          value={account}
          onChange={(event) => setAccount(event.currentTarget.value)}
        />
        <Select
          label="Role"
          data={ROLES}
          value={role}
          allowDeselect={false}
          onChange={(next) => setRole(next as ProjectRole)}
        />
        <Button type="submit" variant="default" loading={set.isPending}>
          Add
        </Button>
        <ActionError error={set.error ?? remove.error} />
      </form>
    </>
  );
}
