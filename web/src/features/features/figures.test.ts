// SPDX-License-Identifier: Apache-2.0

import { describe, expect, test } from "vitest";
import { axisOf, placeOn } from "../../shared/logic/charts/axis";
import { including } from "../../shared/logic/charts/history";
import {
  isUnderWay,
  jobText,
  percentTaken,
  progressText,
  requestText,
} from "../../shared/logic/run/experiments";
import { byChain, cheapest, type ModelFigures } from "../../shared/logic/run/models";
import { bounds, lossText, minutesText, percent, rateAxis } from "../../shared/logic/run/rates";
import { effectWord, reachText } from "../../shared/logic/run/variants";
import { THIN } from "../../shared/logic/text/format";
import { ncppFile } from "../../shared/logic/text/tableFiles";
import { currentLine, ncppColumns } from "./ncpp";
import { byFeature, lineKey, setText } from "./prices";

/** Thin spaces as plain ones. */
const plainly = (text: string): string => text.replaceAll(THIN, " ");

describe("an axis", () => {
  test("holds all values and their intervals, and is never narrower than asked", () => {
    const axis = axisOf([{ value: 5, low: 4, high: 7 }, { value: null }], 0, 1);
    expect(axis).toEqual({ low: 0, high: 7, zero: 0 });
    expect(axisOf([{ value: 0.001 }], 0, 1).high).toBe(1);
    expect(axisOf([], 1, 0.05)).toEqual({ low: 1, high: 1.05, zero: 1 });
  });

  test("is not flattened by one wild interval, which ends at its edge", () => {
    const axis = axisOf([{ value: 1, low: -100, high: 900 }], 0, 0.1);
    expect([axis.low, axis.high]).toEqual([-1.5, 2.5]);
    expect([placeOn(axis, 900), placeOn(axis, -100), placeOn(axis, 0.5)]).toEqual([1, 0, 0.5]);
  });

  test("of a chart takes a level in", () => {
    expect(including([1.1, 1.2], 1)?.[0]).toBeLessThan(1);
    expect(including([0.9, 1.2], 1)).toEqual([0.9, 1.2]);
    expect(including(null, 1)).toBeNull();
  });
});

describe("rates", () => {
  test("as text, with as many digits as they are worth", () => {
    expect([0, 0.0705, 0.375, 1].map((rate) => plainly(percent(rate)))).toEqual([
      "0 %",
      "7.05 %",
      "37.5 %",
      "100 %",
    ]);
    expect(percent(null)).toBe("–");
    expect([0.001, 0.0005, 0.0000021].map((rate) => plainly(percent(rate)))).toEqual([
      "0.10 %",
      "0.050 %",
      "0.00021 %",
    ]);
  });

  test("of loss are never nothing while a packet is lost", () => {
    expect([0, 0.000002, 0.0123].map((rate) => plainly(lossText(rate)))).toEqual([
      "nothing",
      "1 in 500 000",
      "1.23 %",
    ]);
  });

  test("without a trial have no bounds", () => {
    expect(bounds({ hits: 0, trials: 0, rate: null, low: 0, high: 1 })).toBe("–");
    expect(plainly(bounds({ hits: 0, trials: 41, rate: 0, low: 0, high: 0.0705 }))).toBe("0 % to 7.05 %");
  });

  test("that are small have a short axis", () => {
    const of = (high: number, trials = 60) => ({ hits: 0, trials, rate: 0, low: 0, high });
    expect(rateAxis([of(0.05)]).high).toBe(0.1);
    expect(rateAxis([of(0.05), of(0.3)]).high).toBe(0.5);
    expect(rateAxis([of(0.05), of(1, 0)]).high).toBe(0.1);
  });

  test("delays are told in minutes, hours or days", () => {
    expect([38, 125, 4320].map((minutes) => plainly(minutesText(minutes)))).toEqual([
      "38 min",
      "2 h 05 min",
      "3.0 days",
    ]);
  });
});

describe("experiments", () => {
  test("say how far they are", () => {
    expect(progressText({ state: "queued", cells: 0 }, null)).toBe("Waits for a bench host");
    expect(progressText({ state: "running", cells: 3 }, 17)).toBe("Measured 3 of 17 cells");
    expect(progressText({ state: "running", cells: 1 }, null)).toBe("Measured 1 cell");
    expect(progressText({ state: "cancelled", cells: 2 }, 5)).toBe("Cancelled after 2 of 5 cells");
    expect(progressText({ state: "cancelled", cells: 0 }, null)).toBe("Cancelled");
    expect([percentTaken(3, 17), percentTaken(3, null)]).toEqual([18, null]);
    expect(progressText({ state: "queued", cells: 0 }, null, true)).toBe("Runs");
    expect(progressText({ state: "running", cells: 0 }, null)).toBe("Runs");
    expect(progressText({ state: "failed", cells: 0 }, null)).toBe("Failed");
    expect(isUnderWay({ state: "done" })).toBe(false);
  });

  test("say what they measure", () => {
    const requested = { kind: "queue", names: ["nop", "sfc_a"], cell_seconds: 2 } as const;
    expect(requestText({ ...requested, parameters: {} })).toBe(
      "nop, sfc_a of [experiments.queue], 2 s for each load",
    );
    expect(requestText({ ...requested, parameters: { batch: [64], loads: [0.2] } })).toBe(
      "nop, sfc_a of [experiments.queue], 2 s for each load; largest batches 64; loads, % of full load 20",
    );
    expect(requestText({ kind: "ablation", names: [], cell_seconds: null, parameters: {} })).toBe(
      "all of [ablation], each cell as long as the agent's default",
    );
  });

  test("say what their job does", () => {
    const now = Date.parse("2026-11-24T12:00:00Z");
    const job = { state: "queued", host: null, held: null, waiting: null, detail: null, transitions: [] };
    expect(jobText(job, now)).toBe("Waits for its turn in the queue");
    expect(jobText({ ...job, waiting: "no host has 9 lcores" }, now)).toBe("no host has 9 lcores");
    expect(jobText({ ...job, held: "a fork" }, now)).toBe("Waits for approval: a fork");
    const transitions = [
      { state: "leased", at: "2026-11-24T09:00:00Z" },
      { state: "queued", at: "2026-11-24T10:00:00Z" },
      { state: "leased", at: "2026-11-24T11:57:00Z" },
    ];
    const leased = { ...job, state: "leased", host: "bench-1", transitions };
    expect(jobText(leased, now)).toBe("Claimed by bench-1 3 minutes ago");
    expect(jobText({ ...leased, state: "measuring", detail: "queue: cell 2 of 6" }, now)).toBe(
      "Claimed by bench-1 3 minutes ago; queue: cell 2 of 6",
    );
  });
});

describe("prices", () => {
  const line = (feature: string, source: "experiment" | "merge" | "stage", cycles: number) => ({
    feature,
    source,
    scenario: "sfc_a",
    host_class: "vm-2",
    now: { cycles },
  });

  test("stand by feature, most expensive first, the surer source first", () => {
    const lines = [line("nat", "stage", 150), line("dpi", "merge", 400), line("nat", "experiment", 180)];
    expect(byFeature(lines).map((group) => group.map(lineKey))).toEqual([
      ["dpi/sfc_a/vm-2/merge"],
      ["nat/sfc_a/vm-2/experiment", "nat/sfc_a/vm-2/stage"],
    ]);
  });

  test("an empty set has a word", () => {
    expect([setText([]), setText(["nat", "dpi"])]).toEqual(["none", "nat, dpi"]);
  });
});

describe("NCPP", () => {
  const line = (scenario: string, ...ncpp: (number | null)[]) => ({
    scenario,
    host_class: "vm-2",
    points: ncpp.map((value) => ({ ncpp: value })),
  });

  test("shows the line of the address, else the one of which most is known", () => {
    const lines = [line("nop", null, null), line("sfc_a", 1, 1.1)];
    expect(currentLine(lines, undefined, undefined)?.scenario).toBe("sfc_a");
    expect(currentLine(lines, "nop", undefined)?.scenario).toBe("nop");
    expect(currentLine(lines, "gone", undefined)?.scenario).toBe("sfc_a");
    expect(currentLine([], "nop", undefined)).toBeUndefined();
  });

  test("what is not known is a gap", () => {
    const [drawn] = ncppColumns([{ ncpp: 1, low: 0.9, high: 1.1 }, { ncpp: null }, { ncpp: 1.2 }]).stages;
    expect(drawn?.value).toEqual([1, null, 1.2]);
    expect(drawn?.low).toEqual([0.9, null, 1.2]);
  });

  test("a file says of each value whether it is linked", () => {
    const point = (linked: boolean) => ({ name: null, commit: { sha: "a1" }, cpp: 260, linked });
    const [head = [], ...rows] = ncppFile([point(true), point(false)]);
    expect(rows.map((row) => row[head.indexOf("values")])).toEqual(["linked", "measured"]);
    expect(head.slice(2, 6)).toEqual(["ncpp [ratio]", "low [ratio]", "high [ratio]", "cpp [cycles/packet]"]);
  });
});

describe("models and variants", () => {
  const row = (chain: string, model: string, cpp: number | null, where = ""): ModelFigures => ({
    chain,
    where,
    model,
    cpp,
    ipp: null,
    eipc: null,
    pps: null,
    ratio: null,
    low: null,
    high: null,
    note: "",
  });

  test("the cheapest of a chain is named where there is a choice", () => {
    const [a = [], b = []] = byChain([row("a", "rtc", 260), row("b", "rtc", 90), row("a", "pipeline", 360)]);
    expect(cheapest(a)?.model).toBe("rtc");
    expect(cheapest(b)).toBeNull();
  });

  test("scenarios with other traffic or hosts are not compared", () => {
    const groups = byChain([row("a", "rtc", 260, "64 B"), row("a", "rtc", 90, "1500 B")]);
    expect(groups.map(cheapest)).toEqual([null, null]);
  });

  test("reach and harm are told, and what no interval tells is not", () => {
    const chain = (name: string) => ({ ...row(name, "", null), off: name, on: `${name}_on` });
    const chains = ["a", "b", "c"].map((name) => ({
      ...chain(name),
      cppOff: null,
      cppOn: null,
      ppsOff: null,
      ppsOn: null,
    }));
    const variant = { name: "cache", tuning: null, chains, reach: ["a"], harms: ["b"] };
    expect(reachText(variant)).toBe("faster in 1 of 3 chains, slower in 1");
    expect(chains.map((one) => effectWord(variant, one))).toEqual(["faster", "slower", "no effect"]);
  });
});
