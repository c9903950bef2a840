// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { THIN } from "../text/format";
import { type Judged, judgedByKey, outcomeNotes, outcomeText } from "./functionOutcomes";

const find: Judged = {
  stage: "nat",
  name: "flow_find",
  outcome: "regressed",
  by: "instructions",
  chain_share: 0.0006,
};

describe("judged functions", () => {
  it("are found by stage and name", () => {
    const known = judgedByKey([find, { ...find, stage: null, outcome: "same" }]);
    expect(outcomeText(known.get("nat/flow_find"))).toBe("regressed by instructions");
    expect(outcomeText(known.get("/flow_find"))).toBe("same");
    expect(outcomeText(known.get("nat/other"))).toBe("not judged");
  });

  it("say what the chain pays", () => {
    expect(outcomeNotes(find)).toEqual([`+0.06${THIN}% of the chain`]);
    expect(outcomeNotes({ ...find, by: "cycles" })).toEqual([]);
  });

  it("say where cost moved from and to, and why they are open", () => {
    const shift = { stage: "nat", name: "outbound", ipp: 50.04 };
    const moved = {
      ...find,
      outcome: "shifted",
      shifted_from: [shift],
      shifted_to: [{ ...shift, name: "inbound" }],
    };
    expect(outcomeNotes(moved)).toEqual([
      "moved from outbound: 50.0 instructions",
      "moved to inbound: 50.0 instructions",
    ]);
    expect(outcomeNotes({ ...find, outcome: "inconclusive", reason: "not listed" })).toEqual(["not listed"]);
  });
});
