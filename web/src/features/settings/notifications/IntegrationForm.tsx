// SPDX-License-Identifier: Apache-2.0
import { Button, MultiSelect, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
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
  const [kind, setKind] = useState<Kind>("github");
  const [name, setName] = useState("");
  const [values, setValues] = useState<Values>(usualValues("github"));
  const [events, setEvents] = useState<readonly IntegrationEvent[]>(USUAL_EVENTS);
  const choose = (next: Kind): void => {
    setKind(next);
    setValues(usualValues(next));
  };
  const add = useAction(() => addIntegration(project, integrationOf(kind, name, values, events)), {
    renews: ["integrations"],
    onDone: () => {
      setName("");
      choose(kind);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <Select
        label="Kind"
        data={DATA}
        value={kind}
        allowDeselect={false}
        onChange={(next) => choose(next as Kind)}
      />
      <TextInput
        label="Name"
        description="What it is called here: letters, digits, . _ -"
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {FIELDS[kind].map((field) => (
        <IntegrationField
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          onChange={(text) => setValues({ ...values, [field.key]: text })}
        />
      ))}
      {choosesEvents(kind) && (
        <MultiSelect
          label="Told when something is"
          data={[...EVENTS]}
          value={[...events]}
          onChange={(chosen) => setEvents(chosen as IntegrationEvent[])}
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
