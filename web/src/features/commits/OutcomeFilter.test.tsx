// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { OutcomeFilter } from "./OutcomeFilter";

afterEach(cleanup);

describe("the filter of outcomes", () => {
  test("offers what occurs, and what is chosen though nothing has it", () => {
    render(
      <OutcomeFilter counts={{ same: 9900, regressed: 77 }} requested={["broken"]} onChange={() => {}} />,
    );
    const texts = screen.getAllByRole("button").map((one) => one.textContent);
    expect(texts).toEqual(["Regressed77", "Same9900", "Broken0"]);
  });

  test("adds and removes an outcome; without any, all are shown", () => {
    const onChange = vi.fn();
    const view = render(
      <OutcomeFilter counts={{ same: 1, regressed: 1 }} requested={[]} onChange={onChange} />,
    );
    fireEvent.click(screen.getByRole("button", { name: /Same/ }));
    expect(onChange).toHaveBeenLastCalledWith("same");
    view.rerender(
      <OutcomeFilter counts={{ same: 1, regressed: 1 }} requested={["same"]} onChange={onChange} />,
    );
    expect(screen.getByRole("button", { name: /Same/ }).getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(screen.getByRole("button", { name: /Regressed/ }));
    expect(onChange).toHaveBeenLastCalledWith("regressed,same");
    fireEvent.click(screen.getByRole("button", { name: /Same/ }));
    expect(onChange).toHaveBeenLastCalledWith(undefined);
  });
});
