// SPDX-License-Identifier: Apache-2.0
import { PasswordInput, Textarea, TextInput } from "@mantine/core";
import type { Field } from "./integrations";

interface Props {
  field: Field;
  value: string;
  onChange: (text: string) => void;
}

/** One field of an integration. A secret is not shown and not offered to password managers. */
export function IntegrationField({ field, value, onChange }: Props) {
  const usual = {
    label: field.label,
    placeholder: field.hint ?? "",
    required: true,
    value,
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (field.form === "secret") return <PasswordInput {...usual} autoComplete="new-password" />;
  if (field.form === "number") return <TextInput {...usual} inputMode="numeric" pattern="[0-9]+" />;
  if (field.form === "line") return <TextInput {...usual} />;
  return <Textarea {...usual} autosize minRows={field.form === "pem" ? 4 : 2} maxRows={8} />;
}
