// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { foldedFrames, foldedFunctions, libraryOf } from "./foreign";

const of = (name: string, base: number | null, head: number | null, stage: string | null = "dpi") => ({
  name,
  stage,
  base: base === null ? null : { ipp: base, calls: 1, cpp: null, error: 3 },
  head: head === null ? null : { ipp: head, calls: 1, cpp: null, error: 4 },
});

describe("symbols of a library without names", () => {
  test("are told by their address", () => {
    expect(libraryOf("libhs.so.5+0x1f20")).toBe("libhs.so.5");
    expect(libraryOf("hs_scan")).toBeNull();
    expect(libraryOf("operator+0x")).toBeNull();
  });

  test("are one row for each stage, with the sum of both sides", () => {
    const found = foldedFunctions([
      of("libhs.so.5+0x10", 4, 5),
      of("nat", 1, 1, "nat"),
      of("libhs.so.5+0x20", null, 2),
      of("libhs.so.5+0x20", 7, 7, null),
    ]);
    expect(found.map((one) => one.name)).toEqual(["libhs.so.5 (2 symbols)", "nat", "libhs.so.5+0x20"]);
    expect(found[0]?.base?.ipp).toBe(4);
    expect(found[0]?.head).toMatchObject({ ipp: 7, calls: 2, cpp: null });
  });

  test("are one frame under their caller, and so is what they call", () => {
    const frame = (name: string, cost: number, children: never[] = []) => ({
      name,
      base: cost,
      head: cost,
      children,
    });
    const root = {
      ...frame("dpi", 10),
      children: [
        { ...frame("libhs.so.5+0x10", 6), children: [frame("libhs.so.5+0x30", 2), frame("memcpy", 1)] },
        frame("libhs.so.5+0x20", 3),
        frame("count", 1),
      ],
    };
    const folded = foldedFrames(root);
    expect(folded.children?.map((one) => [one.name, one.base])).toEqual([
      ["libhs.so.5", 9],
      ["count", 1],
    ]);
    expect(folded.children?.[0]?.children?.map((one) => one.name)).toEqual(["memcpy"]);
  });
});
