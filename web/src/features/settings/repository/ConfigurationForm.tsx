// SPDX-License-Identifier: Apache-2.0
import { Button, Group, Textarea } from "@mantine/core";
import type { Configuration } from "../../../shared/api/types";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { SaveState } from "../../../shared/ui/SaveState";
import { setConfiguration } from "../api";

/** A nalm.toml for commits that have none. */
export function ConfigurationForm({ project, now }: { project: string; now: Configuration }) {
  const of = useStoredForm({ text: now.text ?? "" });
  const { form } = of;
  const save = useAction((text: string | null) => setConfiguration(project, text), {
    renews: ["configuration", "jobs"],
    onDone: of.onSent,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(({ text }) => save.mutate(text))}>
      <p className="soft">
        {now.text === null
          ? "Each commit is measured by the nalm.toml in it. A text here takes the place of all of them, " +
            "also for commits that never had one."
          : "All commits are measured by this text, whether or not they have a nalm.toml."}
      </p>
      <Textarea
        label="nalm.toml"
        description="Agents check its keys; reports name it by its SHA-256."
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        required
        {...form.getInputProps("text")}
      />
      <SaveState save={save} of={of} done={now.text === null ? "Removed." : "Saved."} />
      <Group>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
        {now.text !== null && (
          <Button
            variant="default"
            disabled={save.isPending}
            onClick={() => {
              form.setFieldValue("text", "");
              save.mutate(null);
            }}
          >
            Remove
          </Button>
        )}
      </Group>
    </form>
  );
}
