// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Question } from "./question";

interface Props {
  question: Question;
  /** Batch times are measured, so that nothing is assumed of an empty poll. */
  measured: boolean;
  onAsk: (question: Question) => void;
}

/** What happens at a rate on some lcores? */
export function QuestionForm({ question, measured, onAsk }: Props) {
  const form = useForm<Question>({ initialValues: question });
  return (
    <form className="form-line" onSubmit={form.onSubmit(onAsk)}>
      <NumberInput
        label="Load, Mpackets/s"
        required
        min={0.000001}
        max={1e6}
        w={150}
        {...form.getInputProps("mpps")}
      />
      <NumberInput label="Lcores" required min={1} max={256} w={100} {...form.getInputProps("lcores")} />
      <NumberInput
        label="Queue per lcore"
        required
        min={1}
        max={4096}
        w={150}
        {...form.getInputProps("queue")}
      />
      <NumberInput
        label="Largest batch"
        required
        min={1}
        max={256}
        w={150}
        {...form.getInputProps("batch")}
      />
      {!measured && (
        <NumberInput
          label="Empty poll, ns"
          required
          min={1}
          max={1e6}
          w={130}
          {...form.getInputProps("poll")}
        />
      )}
      <Button type="submit">Predict</Button>
    </form>
  );
}
