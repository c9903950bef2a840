// SPDX-License-Identifier: Apache-2.0
import { Button, Group, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Configuration } from "../../../shared/api/types";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { setConfiguration } from "../api";

/** A nalm.toml for commits that have none. */
export function ConfigurationForm({ project, now }: { project: string; now: Configuration }) {
  const form = useForm({ initialValues: { text: now.text ?? "" } });
  const save = useAction((text: string | null) => setConfiguration(project, text), {
    renews: ["configuration", "jobs"],
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
      <ActionError error={save.error} />
      {save.isSuccess && <p role="status">{now.text === null ? "Removed." : "Saved."}</p>}
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
