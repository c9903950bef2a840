// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { comparePair, isCommand, moved } from "./keyboard";
import { launchColumns, median, presentArms, ticks } from "./run/rounds";
import {
  byUrgency,
  countDisplays,
  DISPLAYS,
  displayInfo,
  filterCommits,
  isActive,
  judgedChain,
} from "./run/verdict";
import * as search from "./search";
import {
  chosen,
  commitsSearch,
  compareSearch,
  currentScenario,
  historySearch,
  parseSearch,
  stringifySearch,
  toggled,
} from "./search";

const parsers: Record<string, (raw: Record<string, unknown>) => object> = {
  history: search.historySearch,
  features: search.featuresSearch,
  measure: search.measureSearch,
  settings: search.settingsSearch,
  server: search.serverSearch,
};

describe("the address", () => {
  test.each(Object.entries(parsers))("%s answers for each of its keys, known or not", (_, parse) => {
    const raw = { part: "nonsense", view: "nonsense", scale: "nonsense", kind: "nonsense" };
    const seen = { ...raw, ...parse(raw) };
    for (const key of Object.keys(parse({}))) expect(seen).toHaveProperty(key, undefined);
    expect(Object.keys(parse({})).length).toBeGreaterThan(0);
  });

  test("survives a round trip, a commit of digits included", () => {
    const search = { base: "1234567", head: "00e5000", scenario: "sfc_a" };
    expect(compareSearch(parseSearch(stringifySearch(search)))).toEqual(search);
    expect(stringifySearch({ stages: "nat,dpi", metric: undefined })).toBe("?stages=nat,dpi");
    expect(stringifySearch({})).toBe("");
  });

  test("what is not understood is left out", () => {
    expect(
      historySearch({ metric: "IPC!", scale: "log10", view: "table", stages: "", from: "main", page: "0" }),
    ).toEqual({
      view: "table",
    });
    expect(commitsSearch({ outcome: "regressed,slow,same" })).toEqual({ outcome: "regressed,same" });
    expect(commitsSearch({ outcome: "slow" })).toEqual({});
  });

  test("taking the first stage off names the others; the last one brings all back", () => {
    const every = ["chain", "nat", "dpi"];
    expect(toggled(undefined, "nat", every)).toBe("chain,dpi");
    expect(toggled("chain,dpi", "nat", every)).toBeUndefined();
    expect(toggled("nat", "nat", every)).toBeUndefined();
    expect(chosen("dpi,gone", every)).toEqual(["dpi"]);
    expect(chosen("gone", every)).toEqual(every);
  });
});

test("the scenario with most stages, of those the one measured most, is shown unless one is named", () => {
  const scenarios = [
    { name: "nop", stages: ["rx", "nop", "tx"], runs: 9 },
    { name: "rare", stages: ["rx", "nat", "dpi", "l3fwd", "tx"], runs: 1 },
    { name: "sfc_a", stages: ["rx", "nat", "dpi", "l3fwd", "tx"], runs: 9 },
  ];
  expect(currentScenario(scenarios, undefined)?.name).toBe("sfc_a");
  expect(currentScenario(scenarios, "nop")?.name).toBe("nop");
  expect(currentScenario(scenarios, "gone")?.name).toBe("sfc_a");
  expect(currentScenario([], "nop")).toBeUndefined();
});

describe("keys", () => {
  test("the cursor stops at both ends and starts at the first", () => {
    expect([moved(-1, 1, 3), moved(-1, -1, 3), moved(2, 1, 3), moved(0, -1, 3), moved(0, 1, 0)]).toEqual([
      0, 0, 2, 0, -1,
    ]);
  });

  test("are no commands while somebody types or holds a modifier", () => {
    const press = { key: "c", ctrlKey: false, metaKey: false, altKey: false, target: null };
    expect(isCommand(press)).toBe(true);
    expect(isCommand({ ...press, ctrlKey: true })).toBe(false);
    expect(isCommand({ ...press, target: { tagName: "input" } })).toBe(false);
  });

  test("the older of two marked commits is the base", () => {
    const newestFirst = ["c", "b", "a"];
    expect(comparePair("a", "c", newestFirst)).toEqual({ base: "a", head: "c" });
    expect(comparePair("c", "a", newestFirst)).toEqual({ base: "a", head: "c" });
    expect(comparePair("b", "b", newestFirst)).toBeNull();
    expect(comparePair("gone", "b", newestFirst)).toBeNull();
  });
});

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

describe("rounds", () => {
  const rounds = {
    base: [
      { launch: 1, cpp: 300 },
      { launch: 0, cpp: 301 },
      { launch: 1, cpp: 302 },
    ],
    head: [{ launch: 1, cpp: 330 }],
    head_as_base: [],
  };

  test("stand in their launch's column, arms beside each other, every one of them", () => {
    expect(presentArms(rounds)).toEqual(["base", "head"]);
    const columns = launchColumns(rounds);
    expect(columns.map((column) => column.launch)).toEqual([0, 1]);
    expect(columns[1]?.dots.map((dot) => dot.cpp)).toEqual([300, 302, 330]);
    const places = columns[1]?.dots.map((dot) => dot.place) ?? [];
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.max(...places.slice(0, 2))).toBeLessThan(0.5);
    expect(places[2]).toBeGreaterThan(0.5);
  });

  test("median", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, null]);
  });

  test("ticks are round and inside", () => {
    expect(ticks(291, 318, 6)).toEqual([295, 300, 305, 310, 315]);
    expect(ticks(5, 5, 4)).toEqual([5]);
  });
});
