// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { SaveState } from "../SaveState";
import { useStoredForm } from "./useStoredForm";

afterEach(cleanup);

const queries = new QueryClient({ defaultOptions: { queries: { enabled: false } } });

type Stored = { branch: string; days: string };

function Form({ stored, saved = false }: { stored: Stored; saved?: boolean }) {
  const of = useStoredForm(stored);
  return (
    <QueryClientProvider client={queries}>
      <input aria-label="branch" {...of.form.getInputProps("branch")} />
      <input aria-label="days" {...of.form.getInputProps("days")} />
      <pre>{JSON.stringify(of.changed)}</pre>
      <SaveState save={{ isSuccess: saved, error: null }} of={of} />
      <button type="button" onClick={of.onSent}>
        sent
      </button>
    </QueryClientProvider>
  );
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });

test("what somebody else stores is shown in fields that were not changed, and is not undone by saving", () => {
  const { rerender } = render(<Form stored={{ branch: "main", days: "30" }} />);
  type("days", "60");
  rerender(<Form stored={{ branch: "trunk", days: "30" }} />);
  expect([field("branch").value, field("days").value]).toEqual(["trunk", "60"]);
  expect(screen.getByText('{"days":"60"}')).toBeTruthy();
  expect(screen.queryByRole("status")).toBeNull();
});

test("a field that both changed keeps the person's value, and the form says so", () => {
  const { rerender } = render(<Form stored={{ branch: "main", days: "30" }} />);
  type("days", "60");
  rerender(<Form stored={{ branch: "main", days: "90" }} />);
  expect(field("days").value).toBe("60");
  expect(screen.getByRole("status").textContent).toContain("Somebody changed this");
  type("days", "90");
  expect(screen.queryByRole("status")).toBeNull();
});

test("a saved form shows what the server made of it, and is saved until the next change", () => {
  const { rerender } = render(<Form stored={{ branch: "main", days: "30" }} />);
  type("branch", "next ");
  fireEvent.click(screen.getByText("sent"));
  rerender(<Form stored={{ branch: "next", days: "30" }} saved />);
  expect(field("branch").value).toBe("next");
  expect(screen.getByRole("status").textContent).toBe("Saved.");
  type("branch", "other");
  expect(screen.queryByRole("status")).toBeNull();
});
