// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useKeptFocus } from "./useKeptFocus";

afterEach(cleanup);

function Place({ done, busy = false }: { done: boolean; busy?: boolean }) {
  const kept = useKeptFocus<HTMLDivElement>();
  return (
    <div {...kept}>
      {done ? (
        <a href="/jobs/1">Job 1</a>
      ) : (
        <button type="button" disabled={busy}>
          Measure
        </button>
      )}
    </div>
  );
}

test("what replaces the button that has the focus gets it", () => {
  const { rerender } = render(<Place done={false} />);
  screen.getByRole("button").focus();
  rerender(<Place done />);
  expect(document.activeElement).toBe(screen.getByRole("link"));
});

test("a button that was disabled for a time has the focus again", () => {
  const { rerender } = render(<Place done={false} />);
  const button = screen.getByRole("button");
  button.focus();
  rerender(<Place done={false} busy />);
  fireEvent.blur(button);
  rerender(<Place done={false} />);
  expect(document.activeElement).toBe(button);
});

test("with nothing left inside, the place itself gets it", () => {
  function Part({ jobs }: { jobs: number }) {
    return (
      <div {...useKeptFocus<HTMLDivElement>()} tabIndex={-1} data-testid="part">
        {jobs > 0 ? <button type="button">Cancel</button> : <p>The queue is empty.</p>}
      </div>
    );
  }
  const { rerender } = render(<Part jobs={1} />);
  screen.getByRole("button").focus();
  rerender(<Part jobs={0} />);
  expect(document.activeElement).toBe(screen.getByTestId("part"));
});

test("the focus is not taken from where somebody went", () => {
  const { rerender } = render(
    <>
      <Place done={false} />
      <input aria-label="elsewhere" />
    </>,
  );
  screen.getByRole("button").focus();
  screen.getByLabelText("elsewhere").focus();
  screen.getByLabelText("elsewhere").blur();
  rerender(
    <>
      <Place done />
      <input aria-label="elsewhere" />
    </>,
  );
  expect(document.activeElement).toBe(document.body);
});
