// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { keptFor } from "./kept";

test("what was shown stays while the project is the same, and no longer", () => {
  const kept = keptFor("commits", "demo");
  expect(kept(["a"], { queryKey: ["commits", "demo", "search", "x"] })).toEqual(["a"]);
  expect(kept(["a"], { queryKey: ["commits", "other", "search", "x"] })).toBeUndefined();
  expect(kept(undefined, undefined)).toBeUndefined();
});
