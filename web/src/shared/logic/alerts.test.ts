// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  ALERT_STATES,
  alertInfo,
  boundOf,
  confirmedText,
  evidenceOf,
  fixWords,
  headline,
  isOpen,
  messagesText,
  mostRemains,
  paying,
  planText,
  quantityOf,
  quantityWord,
  reachOf,
  reasonText,
  recoveryBasis,
  recoveryText,
  rowHeadline,
  shortNames,
  stateInfo,
  triageOf,
  whyWords,
} from "./alerts";

const ALERT = {
  kind: "regression",
  scenario: "sfc_a",
  scenarios: ["sfc_a", "sfc_b", "sfc_c"],
  metric: "cpp",
  metric_title: "CPP",
  ratio: 1.121,
  bound: null,
  stage: "nat",
  function: "find_together",
};

test("a finding is one sentence, and says where time goes", () => {
  expect(headline(ALERT)).toBe("+12.1\u202f% cycles per packet in sfc_a and 2 more scenarios");
  expect(headline({ ...ALERT, kind: "broken", scenarios: ["sfc_a", "sfc_b"] })).toBe(
    "Broken in sfc_a and 1 more scenario",
  );
  expect(paying(ALERT)).toBe("time goes into nat, find_together");
  expect(paying({ ...ALERT, stage: "chain" })).toContain("as a whole");
  expect(paying({ ...ALERT, stage: "chain", metric: "build_seconds" })).toBeNull();
  expect(paying({ ...ALERT, kind: "broken" })).toBeNull();
});

test("each state has words", () => {
  for (const state of ALERT_STATES) {
    expect(stateInfo(state).word).not.toBe(state);
  }
  expect(stateInfo("later").word).toBe("later");
});

test("a person is offered the states that the server allows, and no state the page does not know", () => {
  const offered = triageOf({ may_become: ["reopened", "acknowledged", "later"] });
  expect(offered.map(({ state }) => state)).toEqual(["acknowledged", "reopened"]);
  expect(triageOf({ may_become: [] })).toEqual([]);
});

test("a bound is typed in per cent", () => {
  expect(boundOf("3")).toBeCloseTo(1.03);
  expect(boundOf(-2.5)).toBeCloseTo(0.975);
  expect(boundOf("much")).toBeNull();
  expect(boundOf(-100)).toBeNull();
});

test("intervals are drawn on one scale, neither blown up nor cut short", () => {
  expect(reachOf([1.001, null])).toBe(0.05);
  expect(reachOf([5])).toBe(0.5);
});

test("what is over waits for no measurement", () => {
  const waiting = { state: "waiting", why: null };
  expect(planText({ state: "new" }, waiting)).toBe("Waiting for confirmation");
  expect(planText({ state: "fixed" }, waiting)).toContain("it is fixed");
  expect(planText({ state: "fixed" }, { state: "dismissed", why: "now -0.1 %" })).toContain("now \u22120.1");
});

test("an alert without a second result says how far that is", () => {
  const text = (state: string, plan: string | null, confirmed_at: string | null = null): string =>
    confirmedText({ state, confirmed_at, confirming: plan === null ? null : { state: plan, why: null } });
  expect(text("confirmed", "confirmed", "2026-11-21T12:00:00Z")).toContain("2026");
  expect(text("new", null)).toBe("not measured again");
  expect(text("new", "measuring")).toBe("confirmation is running");
  expect(text("dismissed", "dismissed")).toBe("not confirmed");
  expect(text("fixed", "waiting")).toBe("closed before confirmation");
});

test("a reason is in the words of who gave it", () => {
  const why = "at 2026-11-21 12:00 it lost -3 %";
  const step = { state: "confirmed", at: "", notified: false, messages: null };
  expect(reasonText({ reason: why, history: [{ ...step, who: "mona", why }] })).toBe(why);
  expect(reasonText({ reason: "now -3 %", history: [{ ...step, who: null, why: "now -3 %" }] })).toBe(
    "Now \u22123\u202f%",
  );
});

test("a quantity is named without its unit, and without what only processors are called by", () => {
  expect(quantityWord("l1d_misses_per_packet")).toBe("L1d misses");
  expect(quantityWord("ll_misses")).toBe("last-level misses");
  expect(quantityWord("chain_cpp")).toBe("chain CPP");
  expect(quantityOf("cpp", "nat")).toBe("nat CPP");
  expect(quantityOf("chain_cpp", "nat")).toBe("chain CPP");
});

test("why is said once, and not of what broke", () => {
  const regression = { kind: "regression", cause: "instructions", detail: "more_instructions" };
  expect(whyWords(regression)).toBe("more instructions");
  expect(whyWords({ ...regression, detail: "more_calls" })).toBe("instructions, more calls");
  expect(whyWords({ ...regression, cause: "pipeline", detail: "unknown" })).toBe(
    "pipeline use, reason not known",
  );
  expect(whyWords({ ...regression, kind: "broken" })).toBeNull();
  expect(whyWords({ ...regression, cause: null, detail: null })).toBeNull();
});

const REST = { scenario: "sfc_a", lost: 1.116, remains: 1.045, margin: 0.02, direct: false };

test("a fix says what it took back and what remains, of one and the same base", () => {
  const text = recoveryText({ ...REST, low: 0.97, high: 1.12, level: 0.95 });
  expect(text).toBe("recovered 7.1 of 11.6\u202f%, remains +4.5\u202f% [\u22123.0, +12.0]");
  expect(recoveryText(REST)).toBe("recovered 7.1 of 11.6\u202f%, remains +4.5\u202f%");
  expect(
    recoveryText({ ...REST, title: "NDR", better: "higher", lost: 1.25, remains: 1.1, low: 1, high: 1.25 }),
  ).toBe("NDR: recovered 10.9 of 20.0\u202f%, remains \u22129.1\u202f% [\u221220.0, \u00b10.0]");
  expect(recoveryBasis({ ...REST, level: 0.95 })).toContain("interval at 95\u202f%");
  expect(recoveryBasis({ ...REST, direct: true })).toContain("side by side");
  expect(fixWords(REST)).toBe("in part, remains +4.5\u202f%");
  expect(fixWords({ ...REST, remains: 1.001 })).toBe("remains +0.10\u202f%");
  expect(fixWords(null)).toBe("at least half");
});

test("of several scenarios the one in which most remains is shown", () => {
  const other = { ...REST, scenario: "sfc_b", remains: 1.2 };
  expect(mostRemains([REST, other])?.scenario).toBe("sfc_b");
  expect(mostRemains(null)).toBeNull();
});

test("what no second measurement saw is not called confirmed", () => {
  expect(alertInfo({ state: "confirmed", confirmed_at: null }).word).toBe("Not confirmed");
  expect(alertInfo({ state: "confirmed", confirmed_at: "2026-11-22T19:02:55Z" }).word).toBe("Confirmed");
  expect(alertInfo({ state: "fixed", confirmed_at: null }).word).toBe("Fixed");
  expect(isOpen({ state: "partly_fixed" })).toBe(true);
});

test("a step says how many messages it made", () => {
  expect(messagesText(null)).toBe("in the feed");
  expect(messagesText(0)).toBe("in the feed; no integration subscribes to it");
  expect([messagesText(1), messagesText(2)]).toEqual(["sent: 1 message", "sent: 2 messages"]);
});

test("a report without a second measurement is not said to be seen again", () => {
  const why = "as first seen: pool a has no host that could measure it again";
  expect(planText({ state: "confirmed" }, { state: "confirmed", why })).toMatch(
    /^Not measured again: as first/,
  );
});

test("a row begins with what tells alerts apart", () => {
  const whole = (name: string): string => name;
  expect(rowHeadline(ALERT, whole)).toMatch(/^nat, find_together: slower in /);
  expect(rowHeadline({ ...ALERT, stage: "chain", function: null }, whole)).toMatch(/^Slower in /);
  expect(rowHeadline({ ...ALERT, kind: "broken" }, whole)).toMatch(/^Broken in /);
});

test("names of scenarios are cut to where they differ", () => {
  const names = ["gateway_nat_64B_chain", "gateway_nat_512B_chain", "gateway_nat_512B_imix_chain"];
  expect(names.map(shortNames(names))).toEqual(["64B", "512B", "512B_imix"]);
  expect(["sfc_a"].map(shortNames(["sfc_a", "sfc_a"]))).toEqual(["sfc_a"]);
  expect(["sfc", "sfc_a"].map(shortNames(["sfc", "sfc_a"]))).toEqual(["sfc", "sfc_a"]);
  expect(["sfc_a", "sfc_b"].map(shortNames(["sfc_a", "sfc_b"]))).toEqual(["sfc_a", "sfc_b"]);
});

test("a finding is shown by cycles if they moved, else by what moved most", () => {
  const of = { scenario: "sfc_a", host_class: "vm-2", run_id: null };
  const built = { ...of, metric: "build_seconds", ratio: 1.3 };
  const sessions = { ...of, metric: "sessions", ratio: 0.5 };
  expect(evidenceOf([built, sessions], "sfc_a").metric).toBe("sessions");
  expect(evidenceOf([sessions, built, { ...of, metric: "cpp", ratio: 1.01 }], "sfc_a").metric).toBe("cpp");
  expect(evidenceOf([built], "sfc_b").metric).toBe("cpp");
});
