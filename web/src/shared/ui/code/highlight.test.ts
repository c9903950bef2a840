// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { highlighted } from "./highlight";

describe("C in colour", () => {
  test("keeps every character of every line", () => {
    const lines = ["static int", "\tx = 0x1f; /* a", "b */ return x;", "", 'puts("a");'];
    expect(highlighted(lines).map((pieces) => pieces.map((one) => one.text).join(""))).toEqual(lines);
  });

  test("a comment over several lines is one on each of them", () => {
    const kinds = highlighted(["/* a", " * b */", "int x;"]).map((pieces) => pieces.map((one) => one.kind));
    expect(kinds[0]).toEqual(["comment"]);
    expect(kinds[1]).toEqual(["comment"]);
    expect(kinds[2]).toContain("type");
  });
});
