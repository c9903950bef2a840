// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { inChainOrder } from "./stageOrder";

const arm = (...names: string[]) => ({ stages: names.map((name) => ({ name })) });

test("stages stand as packets pass them in head, then those that went, then those nobody names", () => {
  const counted = ["acl", "dpi", "nat", "other", "rx", "tx", "nat"];
  expect(inChainOrder(counted, [arm("rx", "nat", "acl", "tx"), undefined, arm("rx", "dpi", "tx")])).toEqual([
    "rx",
    "nat",
    "acl",
    "tx",
    "dpi",
    "other",
  ]);
});
