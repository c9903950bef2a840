// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { comparePair, isCommand, moved } from "./keyboard";

describe("keys", () => {
  test("the cursor stops at both ends and starts at the first", () => {
    expect([moved(-1, 1, 3), moved(-1, -1, 3), moved(2, 1, 3), moved(0, -1, 3), moved(0, 1, 0)]).toEqual([
      0, 0, 2, 0, -1,
    ]);
  });

  test("are no commands while somebody types or holds a modifier", () => {
    const press = { key: "c", repeat: false, ctrlKey: false, metaKey: false, altKey: false, target: null };
    expect(isCommand(press)).toBe(true);
    expect(isCommand({ ...press, ctrlKey: true })).toBe(false);
    expect(isCommand({ ...press, target: { tagName: "input" } })).toBe(false);
  });

  test("held down, move on and do nothing else", () => {
    const held = { key: "a", repeat: true, ctrlKey: false, metaKey: false, altKey: false, target: null };
    expect(isCommand(held)).toBe(false);
    expect(isCommand({ ...held, key: "j" })).toBe(true);
  });

  test("the older of two marked commits is the base", () => {
    const newestFirst = ["c", "b", "a"];
    expect(comparePair("a", "c", newestFirst)).toEqual({ base: "a", head: "c" });
    expect(comparePair("c", "a", newestFirst)).toEqual({ base: "a", head: "c" });
    expect(comparePair("b", "b", newestFirst)).toBeNull();
    expect(comparePair("gone", "b", newestFirst)).toBeNull();
  });
});
