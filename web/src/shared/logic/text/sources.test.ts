// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sourceWords } from "./sources";

test("a source is named and said", () => {
  expect(sourceWords("simulated")).toBe("simulated (instructions by valgrind)");
  expect(sourceWords("model")).toBe("model");
});
