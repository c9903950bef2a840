// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  ago,
  bytes,
  change,
  changeWithInterval,
  columnUnit,
  duration,
  figure,
  inColumn,
  MISSING,
  moment,
  momentTick,
  plain,
  said,
  sentence,
  signed,
  signedInColumn,
  significant,
  wordsOf,
} from "./format";
import { known, ratio } from "./units";

describe("significant", () => {
  test.each([
    [412.345, 4, "412.3"],
    [0.0123456, 3, "0.0123"],
    [9999.6, 4, "10\u202f000"],
    [1234567, 4, "1\u202f234\u202f567"],
    [-12.5, 3, "\u221212.5"],
    [0, 4, "0.000"],
    [Number.NaN, 4, MISSING],
    [Number.POSITIVE_INFINITY, 4, MISSING],
  ])("%d to %d digits is %s", (value, digits, text) => expect(significant(value, digits)).toBe(text));
});

describe("a figure with its unit", () => {
  test.each([
    [12_345_678, "packets/s", "12.35\u202fMpackets/s"],
    [2_400_000_000, "Hz", "2.400\u202fGHz"],
    [412.3, "cycles/packet", "412.3\u202fcycles/packet"],
    [0.98, "1", "0.9800"],
    [null, "cycles/packet", MISSING],
    [undefined, "", MISSING],
  ])("%s %s", (value, unit, text) => expect(figure(value, unit)).toBe(text));
});

describe("a change", () => {
  test.each([
    [1.121, "+12.1\u202f%"],
    [0.85, "\u221215.0\u202f%"],
    [1.0024, "+0.24\u202f%"],
    [1, "±0.00\u202f%"],
    [2.24, "+124\u202f%"],
    // as core/tests/text/test_percents.py has them
    [1.00004, "±0.00\u202f%"],
    [0.9924, "\u22120.76\u202f%"],
    [1.00994, "+0.99\u202f%"],
    [1.00996, "+1.0\u202f%"],
    [1.0112, "+1.1\u202f%"],
    [0.5, "\u221250.0\u202f%"],
    [1.9996, "+100\u202f%"],
    [2.5, "+150\u202f%"],
    [10.99, "+999\u202f%"],
    [20.5, "×20.5"],
    [256.186, "×256"],
  ])("of ratio %d", (value, text) => expect(change(ratio(value))).toBe(text));

  test("has its interval beside it", () => {
    expect(changeWithInterval(ratio(1.121), ratio(1.109), ratio(1.134))).toBe("+12.1\u202f% [+10.9, +13.4]");
    expect(changeWithInterval(ratio(1.121), null, null)).toBe("+12.1\u202f%");
  });

  test("without an end worth the name says so", () => {
    expect(changeWithInterval(ratio(1.25), ratio(1e-9), ratio(1e15))).toBe(
      "+25.0\u202f% [\u2212100, >\u00d79999]",
    );
  });

  test("that is missing is not 0", () => {
    expect(change(known(null, ratio))).toBe(MISSING);
    expect(change(known(Number.NaN, ratio))).toBe(MISSING);
  });
});

test.each([
  [0.04, 1, "±0.0"],
  [-0.04, 2, "\u22120.04"],
  [15.3, 1, "+15.3"],
])("signed %d", (value, decimals, text) => expect(signed(value, decimals)).toBe(text));

test.each([
  [30, "just now"],
  [-12 * 60, "just now"],
  [-2 * 86400, "in 2 days"],
  [3 * 60, "3 minutes ago"],
  [59.7 * 60, "1 hour ago"],
  [26 * 3600, "1 day ago"],
  [40 * 86400, "1 month ago"],
  [363 * 86400, "1 year ago"],
])("%d seconds ago", (seconds, text) => {
  const now = Date.UTC(2026, 5, 15, 12);
  expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
});

test.each([
  [4.24, "4.2\u202fs"],
  [42, "42\u202fs"],
  [185, "3\u202fmin 05\u202fs"],
  [3720, "1\u202fh 02\u202fmin"],
  [183_600, "2\u202fd 3\u202fh"],
  [null, MISSING],
])("duration of %s seconds", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [32768, "32\u202fKiB"],
  [25_769_803_776, "24\u202fGiB"],
  [1_572_864, "1.50\u202fMiB"],
  [0, "0\u202fB"],
])("%d bytes", (value, text) => expect(bytes(value)).toBe(text));

test("a setting keeps no zeros", () =>
  expect([0.02 * 100, 50, 0.01].map(plain)).toEqual(["2", "50", "0.01"]));

test("a column of rates has one unit, of the largest, and its digits line up", () => {
  const rate = columnUnit([12_345_678, null, -43_210], "packets/s");
  expect(rate.unit).toBe("Mpackets/s");
  expect([12_345_678, 43_210, null].map((value) => inColumn(value, rate))).toEqual([
    "12.35",
    "0.04",
    MISSING,
  ]);
  expect(signedInColumn(-43_210, rate)).toBe("\u22120.04");
  expect(columnUnit([], "packets/s")).toMatchObject({ unit: "packets/s", divisor: 1 });
});

test("a sentence of the server has the page's signs", () => {
  expect(said("-16.7 % [-17.2, -16.1] in sfc_a of vm-2 since 2026-11-02, 4-5 rounds")).toBe(
    "\u221216.7\u202f% [\u221217.2, \u221216.1] in sfc_a of vm-2 since 2026-11-02, 4-5 rounds",
  );
});

test("a sentence begins with a capital letter, a name or a hash as it is", () => {
  const texts = ["measured again: the same", "sfc_a: regressed", "p99 rose", "fade12b was measured", "done."];
  expect(texts.map(sentence)).toEqual(["Measured again: the same", ...texts.slice(1, 4), "Done."]);
});

test("a person's words stay as they are", () => {
  expect(wordsOf("mona", "noise of -3 % at 2026-11-21 12:00")).toBe("noise of -3 % at 2026-11-21 12:00");
  expect(wordsOf(null, "now -3 %")).toBe("Now \u22123\u202f%");
});

test("moments in the server's sentences are the reader's", () => {
  const at = moment("2026-11-22T06:14:20Z");
  expect(said("+0.0 % cycles, within ±1 %")).toBe("\u00b10.0\u202f% cycles, within \u00b11\u202f%");
  expect(said("remains +0.0 % [-0.0, +0.0]")).toBe("remains \u00b10.0\u202f% [\u00b10.0, \u00b10.0]");
  expect(said("silent since 2026-11-22 06:14:20")).toBe(`silent since ${at}`);
});

test("ticks of moments name a day once, then times", () => {
  const at = ["2026-11-20T12:00:00", "2026-11-20T15:30:00", "2026-11-21T09:00:00"];
  expect(at.map((iso, index) => momentTick(iso, at[index - 1]))).toEqual([
    "20\u00a0Nov",
    "15:30",
    "21\u00a0Nov",
  ]);
});
