// SPDX-License-Identifier: Apache-2.0
/** Addresses of pages: what is read from them, and what is left out. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { commitsSearch } from "../features/commits/search";
import { featuresSearch } from "../features/features/search";
import { historySearch } from "../features/history/search";
import { modelsSearch } from "../features/models/search";
import { qualitySearch } from "../features/quality/search";
import { measureSearch } from "../features/queue/search";
import { serverSearch, settingsSearch } from "../features/settings/search";
import { compareSearch } from "../shared/logic/run/compareSearch";
import { chosen, currentScenario, parseSearch, stringifySearch, toggled } from "../shared/logic/search";

const schemas: Record<string, v.GenericSchema<unknown, object>> = {
  history: historySearch,
  features: featuresSearch,
  measure: measureSearch,
  settings: settingsSearch,
  server: serverSearch,
};

describe("the address", () => {
  test.each(Object.entries(schemas))("%s answers for each of its keys, known or not", (_, schema) => {
    const parse = (raw: object): object => v.parse(schema, raw);
    const raw = { part: "nonsense", view: "nonsense", scale: "nonsense", kind: "nonsense" };
    const seen = { ...raw, ...parse(raw) };
    for (const key of Object.keys(parse({}))) expect(seen).toHaveProperty(key, undefined);
    expect(Object.keys(parse({})).length).toBeGreaterThan(0);
  });

  test("survives a round trip, a commit of digits included", () => {
    const search = { base: "1234567", head: "00e5000", scenario: "sfc_a" };
    expect(v.parse(compareSearch, parseSearch(stringifySearch(search)))).toEqual(search);
    expect(stringifySearch({ stages: "nat,dpi", metric: undefined })).toBe("?stages=nat,dpi");
    expect(stringifySearch({})).toBe("");
  });

  test("what is not understood is left out", () => {
    expect(
      v.parse(historySearch, {
        metric: "IPC!",
        scale: "log10",
        view: "table",
        stages: "",
        from: "main",
        page: "0",
      }),
    ).toEqual({
      view: "table",
    });
    expect(v.parse(commitsSearch, { outcome: "regressed,slow,same" })).toEqual({ outcome: "regressed,same" });
    expect(v.parse(commitsSearch, { outcome: "slow" })).toEqual({});
  });

  test("names that parts of the settings had in older addresses are still read", () => {
    expect(v.parse(settingsSearch, { part: "telling" })).toEqual({ part: "notifications" });
    expect(v.parse(settingsSearch, { part: "judging" })).toEqual({ part: "judgement" });
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

test("addresses of features, models and quality leave out what is not understood", () => {
  expect(v.parse(featuresSearch, { by: "tag", feature: "nat", view: "table" })).toEqual({
    feature: "nat",
    view: "table",
  });
  expect(v.parse(modelsSearch, { commit: 1234567 })).toEqual({ commit: "1234567" });
  expect([v.parse(qualitySearch, { days: "365" }), v.parse(qualitySearch, { days: "7" })]).toEqual([
    { days: "365" },
    {},
  ]);
});
