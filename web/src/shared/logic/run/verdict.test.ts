// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  byUrgency,
  countDisplays,
  DISPLAYS,
  displayInfo,
  filterCommits,
  isActive,
  judgedChain,
} from "./verdict";

describe("verdicts", () => {
  const commits = [
    { verdicts: [{ display: "regressed" }, { display: "regressed" }, { display: "same" }] },
    { verdicts: [{ display: "same" }] },
    { verdicts: [] },
  ];

  test("are counted once per commit", () => {
    expect([...countDisplays(commits)]).toEqual([
      ["regressed", 1],
      ["same", 2],
    ]);
  });

  test("filter commits; no wish shows also those without a verdict", () => {
    expect(filterCommits(commits, ["regressed"])).toHaveLength(1);
    expect(filterCommits(commits, [])).toHaveLength(3);
  });

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
