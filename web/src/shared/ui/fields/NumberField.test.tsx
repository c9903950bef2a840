// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { NumberField } from "./NumberField";

afterEach(cleanup);

function Form({ onValue }: { onValue: (value: number) => void }) {
  const [days, setDays] = useState(365);
  onValue(days);
  return <NumberField label="Days" min={1} value={days} onChange={setDays} />;
}

test("an emptied field takes the next digits as they are, and has its former number again without any", () => {
  const values: number[] = [];
  render(
    <MantineProvider>
      <Form onValue={(value) => values.push(value)} />
    </MantineProvider>,
  );
  const field = screen.getByLabelText<HTMLInputElement>("Days");
  fireEvent.change(field, { target: { value: "" } });
  expect([field.value, values.at(-1)]).toEqual(["", 365]);
  fireEvent.change(field, { target: { value: "30" } });
  expect([field.value, values.at(-1)]).toEqual(["30", 30]);
  fireEvent.change(field, { target: { value: "" } });
  fireEvent.blur(field);
  expect([field.value, values.at(-1)]).toEqual(["30", 30]);
});
