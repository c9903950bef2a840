// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { type OutcomeChange, outcomeRows } from "./outcomes";

const change: OutcomeChange = {
  arm: "head",
  stage: "nat",
  outcome: "no_port",
  base_packets: 0,
  head_packets: 512,
  base_taken_in: 204_800,
  head_taken_in: 204_800,
  exact: true,
  lost: true,
  expected: null,
};
const rows = (...changes: OutcomeChange[]) => outcomeRows(changes);

describe("outcomeRows", () => {
  it("gives the same packets as counts", () => {
    const [row] = rows(change);
    expect(row?.base).toBe("0 of 204\u202f800");
    expect(row?.head).toBe("512 of 204\u202f800");
    expect(row?.meaning).toBe("lost, of the same packets");
  });

  it("gives shares where the arms saw other packets", () => {
    const [row] = rows({ ...change, exact: false, lost: false });
    expect(row?.head).toBe("0.250\u202f%");
    expect(row?.meaning).toBe("changed, by a test over launches");
  });

  it("says what was declared", () => {
    expect(rows({ ...change, expected: "fewer ports" })[0]?.meaning).toBe("expected: fewer ports");
    expect(rows()).toEqual([]);
  });
});
