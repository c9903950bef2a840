// SPDX-License-Identifier: Apache-2.0
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { removeReadToken, setReadToken } from "../api";

const USER = "x-access-token";

/** What the server reads a private repository with. It goes in and never comes out. */
export function ReadTokenForm({ project, has }: { project: string; has: boolean }) {
  const [user, setUser] = useState(USER);
  const [token, setToken] = useState("");
  const set = useAction(() => setReadToken(project, { user, token }), {
    renews: ["watching"],
    onDone: () => setToken(""),
  });
  const remove = useAction(() => removeReadToken(project), { renews: ["watching"] });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    set.mutate(undefined);
  };
  return (
    <form className="form-line" onSubmit={submit}>
      <p className="form-says">
        {has
          ? "There is one. Another takes its place."
          : "There is none: enough for a repository that anybody may read."}
      </p>
      <TextInput
        label="User"
        required
        maxLength={128}
        autoComplete="off"
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <PasswordInput
        label="Token"
        className="form-wide"
        required
        maxLength={1024}
        autoComplete="new-password"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={set.isPending}>
        {has ? "Replace it" : "Set it"}
      </Button>
      {has && (
        <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
          Forget it
        </Button>
      )}
      <ActionError error={set.error ?? remove.error} />
    </form>
  );
}
