// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { byUrgency, DISPLAYS, displayInfo, isActive, judgedChain } from "./verdict";

describe("verdicts", () => {
  test("each has a word and a sentence, also one of a newer server", () => {
    for (const display of DISPLAYS) expect(displayInfo(display).explanation).toMatch(/\.$/);
    expect(displayInfo("drifting").word).toBe("drifting");
  });

  test("the urgent ones come first, equals in their order", () => {
    const shown = byUrgency(["same", "feature", "regressed", "same"].map((display, n) => ({ display, n })));
    expect(shown.map((verdict) => [verdict.display, verdict.n])).toEqual([
      ["regressed", 2],
      ["feature", 1],
      ["same", 0],
      ["same", 3],
    ]);
    expect(byUrgency(DISPLAYS.map((display) => ({ display })))).toHaveLength(DISPLAYS.length);
  });

  test("a job is active until it ended", () => {
    expect(["queued", "building", "done", "failed"].map((state) => isActive({ state }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isActive(null)).toBe(false);
  });

  test("a feature merge says which chain was judged", () => {
    expect(judgedChain({ judged_arm: "head_as_base" })).toMatch(/base's features/);
    expect(judgedChain({ judged_arm: "head" })).toBeNull();
    expect(judgedChain(null)).toBeNull();
  });
});
