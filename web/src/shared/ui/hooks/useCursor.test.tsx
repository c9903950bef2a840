// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useCursor } from "./useCursor";

const cursor = () =>
  renderHook(({ order }) => useCursor(order), { initialProps: { order: ["c", "b", "a"] } });

test("is nowhere at first, and begins with the first row", () => {
  const { result } = cursor();
  expect(result.current.current).toBeUndefined();
  expect([result.current.next(1), result.current.next(-1)]).toEqual(["c", "c"]);
});

test("stays on its row when one comes above it", () => {
  const { result, rerender } = cursor();
  act(() => result.current.set("b"));
  rerender({ order: ["d", "c", "b", "a"] });
  expect(result.current.current).toBe("b");
  expect([result.current.next(1), result.current.next(-1)]).toEqual(["a", "c"]);
});

test("is on no row once its row left, and goes on from where that was", () => {
  const { result, rerender } = cursor();
  act(() => result.current.set("b"));
  rerender({ order: ["c", "a"] });
  expect(result.current.current).toBeUndefined();
  expect([result.current.next(1), result.current.next(-1)]).toEqual(["a", "c"]);
});
