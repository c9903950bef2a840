// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { hookAddresses, lines } from "./settings";

test("empty lines are none", () => {
  expect(lines("main\n\n release/* \n")).toEqual(["main", "release/*"]);
  expect(lines(" \n")).toBeNull();
});

test("each forge has its address", () => {
  const addresses = hookAddresses("https://nalm.example", "my-nf");
  expect(addresses[0]).toEqual(["GitHub", "https://nalm.example/api/v1/hooks/github?project=my-nf"]);
  expect(addresses).toHaveLength(4);
});
