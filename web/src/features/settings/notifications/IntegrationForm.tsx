// SPDX-License-Identifier: Apache-2.0
import { Button, MultiSelect, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { SecretOnce } from "../../../shared/ui/SecretOnce";
import { addIntegration } from "../api";
import { IntegrationField } from "./IntegrationField";
import {
  choosesEvents,
  EVENTS,
  FIELDS,
  type IntegrationEvent,
  integrationOf,
  KIND_WORDS,
  KINDS,
  type Kind,
  USUAL_EVENTS,
  usualValues,
  type Values,
} from "./integrations";

const DATA = KINDS.map((kind) => ({ value: kind, label: KIND_WORDS[kind] }));

/** Adds a forge, mail, chat or program that is told of results. */
export function IntegrationForm({ project }: { project: string }) {
  const form = useForm({
    initialValues: {
      kind: "github" as Kind,
      name: "",
      values: usualValues("github") as Values,
      events: USUAL_EVENTS as readonly IntegrationEvent[],
    },
  });
  const { kind, name, values, events } = form.values;
  const choose = (next: Kind): void => {
    form.setFieldValue("kind", next);
    form.setFieldValue("values", usualValues(next));
  };
  const add = useAction(() => addIntegration(project, integrationOf(kind, name, values, events)), {
    renews: ["integrations"],
    onDone: () => {
      form.setFieldValue("name", "");
      choose(kind);
    },
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => add.mutate(undefined))}>
      <Select
        label="Kind"
        data={DATA}
        value={kind}
        allowDeselect={false}
        onChange={(next) => choose(next as Kind)}
      />
      <TextInput
        label="Name"
        description="Name of the integration: letters, digits, . _ -"
        required
        maxLength={64}
        {...form.getInputProps("name")}
      />
      {FIELDS[kind].map((field) => (
        <IntegrationField
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          onChange={(text) => form.setFieldValue("values", { ...values, [field.key]: text })}
        />
      ))}
      {choosesEvents(kind) && (
        <MultiSelect
          label="Notify when an alert is"
          data={[...EVENTS]}
          value={[...events]}
          onChange={(chosen) => form.setFieldValue("events", chosen as IntegrationEvent[])}
        />
      )}
      <ActionError error={add.error} />
      {add.data?.signing_secret && <SecretOnce title="The signing secret" text={add.data.signing_secret} />}
      <Button type="submit" variant="default" loading={add.isPending}>
        Add it
      </Button>
    </form>
  );
}
