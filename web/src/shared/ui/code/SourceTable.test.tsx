// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blocksOf, type SourceRow } from "../../logic/code/source";
import { SourceTable } from "./SourceTable";

afterEach(cleanup);

const line = (number: number, text: string, cpp: number | null) => ({ line: number, text, ipp: 1, cpp });
const same = (number: number): SourceRow => ({
  base: line(number, "x++;", null),
  head: line(number, "x++;", null),
});
const ROWS: SourceRow[] = [
  ...Array.from({ length: 10 }, (_, at) => same(at + 1)),
  { base: line(11, "old();", 4), head: line(11, "new();", 8) },
  { base: null, head: line(12, "more();", 2) },
];

function table(side: "base" | "head", onWhole = () => {}) {
  render(
    <SourceTable
      side={side}
      label={`Source, ${side}`}
      title="nat.c"
      blocks={blocksOf(ROWS, "cpp", false)}
      cost="cpp"
      other="ipp"
      hottest={8}
      named={12}
      pieces={
        new Map([
          [
            12,
            [
              { text: "more", kind: "title" },
              { text: "();", kind: null },
            ],
          ],
        ])
      }
      onWhole={onWhole}
      box={() => {}}
      onSideways={() => {}}
    />,
  );
  return within(screen.getByRole("table", { name: `Source, ${side}` }));
}

describe("one side's source", () => {
  test("tells added from removed lines, by class and sign", () => {
    const head = table("head");
    const row = head.getByText("new();").closest("tr");
    expect(row?.className).toBe("added");
    expect(row?.querySelector(".mark")?.textContent).toBe("+");
    cleanup();
    const base = table("base");
    expect(base.getByText("old();").closest("tr")?.className).toBe("removed");
  });

  test("fills the bar of the most expensive line, and half of one that costs half", () => {
    const widths = (text: string): string | undefined =>
      head.getByText(text).closest("tr")?.querySelector<HTMLElement>(".heat span")?.style.width;
    const head = table("head");
    expect(widths("new();")).toBe("100%");
    expect(widths("();")).toBe("25%");
  });

  test("points out the named line, in colour", () => {
    const row = table("head").getByText("more").closest("tr");
    expect(row?.className).toContain("named");
    expect(row?.querySelector(".hl-title")?.textContent).toBe("more");
  });

  test("hides what did not change in one row, which opens it", () => {
    const onWhole = vi.fn();
    fireEvent.click(table("head", onWhole).getByRole("button", { name: "7 lines hidden" }));
    expect(onWhole).toHaveBeenCalledOnce();
  });
});
