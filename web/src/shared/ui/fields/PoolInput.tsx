// SPDX-License-Identifier: Apache-2.0
import { TextInput } from "@mantine/core";

/** The name of a pool of bench hosts. */
export function PoolInput({ value, onChange }: { value: string; onChange: (pool: string) => void }) {
  return (
    <TextInput
      label="Pool"
      required
      maxLength={64}
      pattern="[a-z0-9][a-z0-9\-]*"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
