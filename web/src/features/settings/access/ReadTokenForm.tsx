// SPDX-License-Identifier: Apache-2.0
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { removeReadToken, setReadToken } from "../api";

const USER = "x-access-token";

/** What the server reads a private repository with. It goes in and never comes out. */
export function ReadTokenForm({ project, has }: { project: string; has: boolean }) {
  const form = useForm({ initialValues: { user: USER, token: "" } });
  const { user, token } = form.values;
  const set = useAction(() => setReadToken(project, { user, token }), {
    renews: ["branch filters"],
    onDone: () => form.setFieldValue("token", ""),
  });
  const remove = useAction(() => removeReadToken(project), { renews: ["branch filters"] });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => set.mutate(undefined))}>
      <p className="form-says">
        {has
          ? "A read token is set. A new one replaces it."
          : "No read token is set. A public repository needs none."}
      </p>
      <TextInput label="User" required maxLength={128} autoComplete="off" {...form.getInputProps("user")} />
      <PasswordInput
        label="Token"
        className="form-wide"
        required
        maxLength={1024}
        autoComplete="new-password"
        {...form.getInputProps("token")}
      />
      <Button type="submit" variant="default" loading={set.isPending}>
        {has ? "Replace" : "Set"}
      </Button>
      {has && (
        <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
          Remove
        </Button>
      )}
      <ActionError error={set.error ?? remove.error} />
    </form>
  );
}
