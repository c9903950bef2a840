// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { numbered } from "./auditSubjects";

test("what has a page of its own is told from what has none", () => {
  expect(numbered("bisect 12")).toEqual({ kind: "bisect", id: "12" });
  for (const subject of ["project demo", "job", "job 3 of demo", "token 4"])
    expect(numbered(subject)).toBeNull();
});
