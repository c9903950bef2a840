// SPDX-License-Identifier: Apache-2.0
import { Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Member } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { Rows } from "../../../shared/ui/lists/Rows";
import { type ProjectRole, removeMember, setMember } from "../api";

const ROLES: ProjectRole[] = ["reader", "developer", "maintainer"];

/** Who has which role. */
export function PeoplePanel({ project, people }: { project: string; people: readonly Member[] }) {
  const form = useForm({ initialValues: { account: "", role: "developer" as ProjectRole } });
  const { account, role } = form.values;
  const renews = ["people", "session"];
  const set = useAction(
    (one: { account: string; role: ProjectRole }) => setMember(project, one.account, one.role),
    {
      renews,
      onDone: () => form.setFieldValue("account", ""),
    },
  );
  const remove = useAction((name: string) => removeMember(project, name), { renews });
  return (
    <>
      {people.length === 0 && <p className="soft">Only administrators have access.</p>}
      <Rows>
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
      </Rows>
      <form className="form-line" onSubmit={form.onSubmit(() => set.mutate({ account, role }))}>
        <TextInput label="Account" required {...form.getInputProps("account")} />
        <Select label="Role" data={ROLES} allowDeselect={false} {...form.getInputProps("role")} />
        <Button type="submit" variant="default" loading={set.isPending}>
          Add
        </Button>
        <ActionError error={set.error ?? remove.error} />
      </form>
    </>
  );
}
