// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { factorsQuery } from "../../shared/api/hosts";
import type { HostFactors as Factors } from "../../shared/api/types";
import { THIN } from "../../shared/logic/text/format";
import { HostFactors } from "./HostFactors";

afterEach(cleanup);

type Factor = Factors["factors"][number];
const effect = (value: string, change: number) => ({ value, runs: 20, change, error: 0.001 });

function factor(name: string, effects: Factor["effects"], more: Partial<Factor> = {}): Factor {
  const known = { label: name.replaceAll("_", " "), share: 0.3, p_value: 0.001, significant: true };
  return { name, ...known, together: [], effects, advice: null, ...more };
}

function show(factors: Factor[]): void {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const of = { since: "2026-11-01T00:00:00Z", runs: 59, needed: 30, spread: 0.03, explained: 0.9, factors };
  queries.setQueryData(factorsQuery().queryKey, of);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <HostFactors />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

const cells = (property: string): (string | null)[] =>
  [...(screen.getByText(property).closest("tr")?.children ?? [])].map((one) => one.textContent);

test("a property has its size in words, a quantity from one value to another, digests are not shown", () => {
  show([
    factor("huge_pages", [effect("on", 0), effect("off", 0.038)]),
    factor("steal", [effect("0 to 0.2", 0.04)]),
    factor("mitigations", [effect("1f2e3d4c", 0), effect("aabbccdd", 0.02)]),
    factor("weekend", [effect("no", 0), effect("yes", 0.001)], { significant: false }),
  ]);
  expect(cells("huge pages")[1]).toBe(`off against on: +3.8${THIN}%`);
  expect(cells("steal")[1]).toBe(`from 0 to 0.2: +4.0${THIN}%`);
  expect(cells("mitigations")[1]).toBe(`other ones than most runs have: +2.0${THIN}%`);
  expect(cells("weekend")[1]).toBe("not shown to matter");
});

test("what is to be typed in an advice stands as code", () => {
  show([factor("governor", [effect("performance", 0)], { advice: "Tune it: `nalm doctor --tune`." })]);
  expect(screen.getByText("nalm doctor --tune").tagName).toBe("CODE");
});
