// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Alert } from "../../../shared/api/types";
import { useSelection } from "./useSelection";

const alerts = [1, 2, 3, 4].map((id) => ({ id }) as Alert);
const [first, second, third] = alerts as [Alert, Alert, Alert];

test("a range is chosen from the last row on, and what left the list is not chosen", () => {
  const { result, rerender } = renderHook(({ order }) => useSelection(order), {
    initialProps: { order: alerts },
  });
  act(() => result.current.toggle(first, false));
  act(() => result.current.toggle(third, true));
  expect([...result.current.chosen]).toEqual([1, 2, 3]);
  rerender({ order: [second, third] });
  expect([...result.current.chosen]).toEqual([2, 3]);
  act(() => result.current.choose([]));
  expect(result.current.chosen.size).toBe(0);
});
