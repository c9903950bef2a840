// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { csvOf } from "../../shared/logic/text/csv";
import { tokensFile } from "./files";

test("a list of tokens has no token", () => {
  const when = { created_at: "2026-01-01", last_used_at: null, expires_at: null, revoked_at: null };
  const token = { name: "ci", scope: "upload", owner: null, ...when, token: "nalm_secret" };
  expect(csvOf(tokensFile([token]))).not.toContain("secret");
});
