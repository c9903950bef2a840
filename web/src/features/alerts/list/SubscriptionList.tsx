// SPDX-License-Identifier: Apache-2.0
/** Patterns of alerts one wants to see, and a form for another. */
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Subscription } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { Rows } from "../../../shared/ui/lists/Rows";
import { addSubscription, removeSubscription } from "../api";

const FIELDS = ["project", "scenario", "stage", "author"] as const;
type Field = (typeof FIELDS)[number];
const ANY: Record<Field, string> = { project: "*", scenario: "*", stage: "*", author: "*" };
const RENEWS = ["subscriptions", "alerts"];

/** A subscription in words: only the fields that narrow it. */
const subscriptionText = (one: Record<Field, string>): string =>
  FIELDS.filter((field) => one[field] !== "*")
    .map((field) => `${field} ${one[field]}`)
    .join(", ") || "every alert";

export function SubscriptionList({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const remove = useAction(removeSubscription, { renews: RENEWS });
  return (
    <>
      {subscriptions.length === 0 && <p className="soft">No subscriptions yet.</p>}
      <Rows>
        {subscriptions.map((one) => (
          <li key={one.id} className="row">
            <span className="row-main">{subscriptionText(one)}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove subscription: ${subscriptionText(one)}`}
              loading={remove.isPending && remove.variables === one.id}
              onClick={() => remove.mutate(one.id)}
            >
              Remove
            </Button>
          </li>
        ))}
      </Rows>
      <ActionError error={remove.error} />
      <NewSubscription />
    </>
  );
}

function NewSubscription() {
  const form = useForm({ initialValues: ANY });
  const add = useAction(() => addSubscription(form.values), { renews: RENEWS, onDone: form.reset });
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
        Subscribe
      </Button>
      <p className="form-says">An alert must match all four fields. * matches any part of a name.</p>
      <ActionError error={add.error} />
    </form>
  );
}
