// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { matching } from "./places";

const places = ["Alerts", "gateway_nat_64B", "nat_alerts", "History"].map((name) => ({
  name,
  kind: "x",
  href: `/${name}`,
}));
const names = (typed: string): string[] => matching(places, typed).map((one) => one.name);

test("names with every word are found, those that begin with the text first", () => {
  expect(names("alert")).toEqual(["Alerts", "nat_alerts"]);
  expect(names("64b gate")).toEqual(["gateway_nat_64B"]);
  expect(names(" ")).toHaveLength(4);
  expect(names("zzz")).toEqual([]);
});
