// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SearchBox } from "./SearchBox";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function box(value: string | undefined) {
  const onChange = vi.fn();
  const of = (given: string | undefined) => (
    <MantineProvider>
      <SearchBox label="Search commits" placeholder="" value={given} onChange={onChange} />
    </MantineProvider>
  );
  const { rerender } = render(of(value));
  return { onChange, become: (given: string | undefined) => rerender(of(given)) };
}

const input = (): HTMLInputElement => screen.getByLabelText("Search commits");
const type = (value: string): void => {
  fireEvent.change(input(), { target: { value } });
};
const pause = (): void => {
  act(() => {
    vi.advanceTimersByTime(1000);
  });
};

test("what is typed is sent after a pause, once", () => {
  const { onChange, become } = box(undefined);
  type("nat");
  expect(onChange).not.toHaveBeenCalled();
  pause();
  become("nat");
  pause();
  expect(onChange.mock.calls).toEqual([["nat"]]);
  expect(input().value).toBe("nat");
});

test("a search that was cleared elsewhere does not come back", () => {
  const { onChange, become } = box("nat");
  become(undefined);
  pause();
  expect(input().value).toBe("");
  become("acl");
  pause();
  expect(input().value).toBe("acl");
  expect(onChange).not.toHaveBeenCalled();
});

test("what is typed before the last text came back stays", () => {
  const { onChange, become } = box(undefined);
  type("n");
  pause();
  type("nat");
  become("n");
  expect(input().value).toBe("nat");
  pause();
  become("nat");
  expect(input().value).toBe("nat");
  expect(onChange.mock.calls).toEqual([["n"], ["nat"]]);
});
