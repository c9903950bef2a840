// SPDX-License-Identifier: Apache-2.0
import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useEffect, useState } from "react";

interface Props extends Omit<NumberInputProps, "value" | "onChange" | "onBlur"> {
  value: number;
  onChange: (value: number) => void;
}

/** A required number. While the field is empty its form keeps the former number, which comes back as the field is left. */
export function NumberField({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState<number | string>(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <NumberInput
      {...rest}
      required
      withAsterisk={false}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        if (typeof next === "number") onChange(next);
      }}
      onBlur={() => setTyped(value)}
    />
  );
}
