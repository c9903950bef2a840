// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { csvOf, fileName } from "./csv";

test("cells are quoted where they must be, and missing ones are empty", () => {
  const rows = [
    ["commit", "cpp"],
    ['a "quick", fix', 312.25],
    ["two\nlines", null],
    ["nat", Number.NaN],
  ];
  expect(csvOf(rows)).toBe('commit,cpp\r\n"a ""quick"", fix",312.25\r\n"two\nlines",\r\nnat,\r\n');
});

test("what a spreadsheet would run is text, a negative number stays one", () => {
  expect(csvOf([["=cmd()", "+1", "@x", -1.5]])).toBe("'=cmd(),'+1,'@x,-1.5\r\n");
});

test("a file's name has no blanks and no path", () => {
  expect(fileName("my nf", "../history", "CPP")).toBe("my-nf-history-CPP");
});
