// SPDX-License-Identifier: Apache-2.0
/** Patterns of alerts one wants to see, and a form for another. */
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Watch } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { addWatch, removeWatch } from "./api";

const FIELDS = ["project", "scenario", "stage", "author"] as const;
type Field = (typeof FIELDS)[number];
const ANY: Record<Field, string> = { project: "*", scenario: "*", stage: "*", author: "*" };
const RENEWS = ["watches", "alerts"];

/** A watch in words: only what it narrows. */
const watchText = (one: Record<Field, string>): string =>
  FIELDS.filter((field) => one[field] !== "*")
    .map((field) => `${field} ${one[field]}`)
    .join(", ") || "every alert";

export function SubscriptionList({ watches }: { watches: readonly Watch[] }) {
  const remove = useAction(removeWatch, { renews: RENEWS });
  return (
    <>
      {watches.length === 0 && <p className="soft">No subscriptions yet.</p>}
      <ul className="rows">
        {watches.map((one) => (
          <li key={one.id} className="row">
            <span className="row-main">{watchText(one)}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove subscription: ${watchText(one)}`}
              loading={remove.isPending && remove.variables === one.id}
              onClick={() => remove.mutate(one.id)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <ActionError error={remove.error} />
      <NewWatch />
    </>
  );
}

function NewWatch() {
  const form = useForm({ initialValues: ANY });
  const add = useAction(() => addWatch(form.values), { renews: RENEWS, onDone: form.reset });
  return (
    <form className="form-line" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      {FIELDS.map((field) => (
        <TextInput
          key={field}
          label={field.charAt(0).toUpperCase() + field.slice(1)}
          required
          withAsterisk={false}
          maxLength={field === "author" ? 256 : 64}
          autoComplete="off"
          {...form.getInputProps(field)}
        />
      ))}
      <Button type="submit" variant="default" loading={add.isPending}>
        Watch
      </Button>
      <p className="form-says">An alert must match all four fields. * matches any part of a name.</p>
      <ActionError error={add.error} />
    </form>
  );
}
