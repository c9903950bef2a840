// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { VirtualList } from "./VirtualList";

const drawn = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "offsetHeight");
// Nothing is laid out here: every row is as high as it is estimated to be.
beforeAll(() => {
  Object.defineProperty(HTMLElement.prototype, "offsetHeight", { configurable: true, value: 50 });
});
afterAll(() => {
  if (drawn) Object.defineProperty(HTMLElement.prototype, "offsetHeight", drawn);
});
afterEach(cleanup);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

function list(count: number, onEnd?: () => void) {
  return render(
    <VirtualList
      items={numbers(count)}
      keyOf={(item) => item}
      label="Numbers"
      className="commits"
      rowHeight={50}
      onEnd={onEnd}
    >
      {(item, _index, place) => (
        <li key={item} {...place}>
          {item}
        </li>
      )}
    </VirtualList>,
  );
}

describe("a list of any length", () => {
  test("has all rows while there are few", () => {
    list(60);
    expect(screen.getAllByRole("listitem")).toHaveLength(60);
  });

  test("has only rows near the window when there are many, and says how many there are", () => {
    list(5000);
    const rows = screen.getAllByRole("listitem");
    expect(rows.length).toBeLessThan(100);
    expect(rows[0]?.getAttribute("aria-setsize")).toBe("5000");
    expect(rows[0]?.getAttribute("aria-posinset")).toBe("1");
    expect(screen.getByRole("list", { name: "Numbers" }).style.height).toBe(`${5000 * 50}px`);
  });

  test("has all rows on paper", () => {
    list(200);
    act(() => {
      window.dispatchEvent(new Event("beforeprint"));
    });
    expect(screen.getAllByRole("listitem")).toHaveLength(200);
    act(() => {
      window.dispatchEvent(new Event("afterprint"));
    });
    expect(screen.getAllByRole("listitem").length).toBeLessThan(100);
  });

  test("asks for more only near its end", () => {
    const onEnd = vi.fn();
    list(5000, onEnd);
    expect(onEnd).not.toHaveBeenCalled();
    cleanup();
    list(61, onEnd);
    expect(onEnd.mock.calls.length).toBeLessThanOrEqual(1);
  });
});
