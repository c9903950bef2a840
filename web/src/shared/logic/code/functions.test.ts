// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FUNCTION_METRICS, functionChoices, functionsOf, functionsText, labelOf } from "./functions";

interface Metric {
  name: string;
  scopes: string[];
}

test("functions have what the catalogue says", () => {
  const reported = readFileSync(new URL("../../../../dev/mock/metrics.json", import.meta.url), "utf8");
  const metrics = JSON.parse(reported) as Metric[];
  const known = metrics.filter((one) => one.scopes.includes("function")).map((one) => one.name);
  expect([...FUNCTION_METRICS].sort()).toEqual(known.sort());
});

test("an address holds names of any kind", () => {
  const keys = ["nat>std::map<int, int>::find", "l3fwd>operator>"];
  expect(functionsOf(functionsText(keys))).toEqual(keys);
  expect(functionsOf("nat;>f;")).toEqual([]);
  expect(functionsText([])).toBeUndefined();
  expect(labelOf("l3fwd>operator>")).toBe("l3fwd > operator>");
});

test("a picker offers the most expensive first, the gone last, each once, and what is chosen", () => {
  const one = (stage: string, name: string, ipp: number, gone = false) => ({ stage, name, ipp, gone });
  const found = functionChoices(
    [
      [one("nat", "old", 900, true), one("nat", "find", 200)],
      [one("l3fwd", "fib", 300), one("nat", "find", 100)],
    ],
    ["tx>send"],
  );
  const names = found.map(({ group, items }) => [group, items.map((item) => item.name)]);
  expect(names).toEqual([
    ["l3fwd", ["fib"]],
    ["nat", ["find", "old"]],
    ["tx", ["send"]],
  ]);
  expect(found[1]?.items[0]?.ipp).toBe(200);
  expect(found[2]?.items[0]?.label).toBe("tx > send");
});
