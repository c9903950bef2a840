// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  addCommand,
  isPath,
  nameFault,
  nextStep,
  registerCommands,
  setupDone,
  submitCommands,
} from "./setup";

const EMPTY = { hostsOnline: 0, deliveries: 0, commits: 0, judged: false, problems: [] };

test("a folder is told from an address", () => {
  for (const path of ["/srv/nf.git", "./nf", "~/nf", "file:///srv/nf.git"]) expect(isPath(path)).toBe(true);
  for (const address of ["https://git.example.org/nf.git", "git@example.org:nf.git", ""])
    expect(isPath(address)).toBe(false);
});

test("steps are ticked by what the server saw, and the first open one comes next", () => {
  expect(nextStep(setupDone(EMPTY))).toBe("host");
  expect(nextStep(setupDone({ ...EMPTY, hostsOnline: 1 }))).toBe("webhook");
  expect(nextStep(setupDone({ ...EMPTY, hostsOnline: 1, deliveries: 2, commits: 3 }))).toBe("verdict");
});

test("results that a CI uploaded need neither host nor description any more", () => {
  const done = setupDone({ ...EMPTY, commits: 1, judged: true });
  expect(done).toEqual({ describe: "yes", host: "yes", webhook: "no", push: "yes", verdict: "yes" });
});

test("what one may not see is neither done nor open", () => {
  const done = setupDone({ ...EMPTY, hostsOnline: null, deliveries: null });
  expect([done.host, done.webhook]).toEqual(["unknown", "unknown"]);
  expect(nextStep(done)).toBe("push");
});

test("commands carry the address of this server", () => {
  expect(registerCommands("https://nalm.example.org", "t0k")).toContain(
    "--server https://nalm.example.org --token-file invitation",
  );
  expect(submitCommands("https://nalm.example.org")).toContain("--server https://nalm.example.org");
});

test("what the server found wrong is open, whatever was done before", () => {
  const problems = [{ kind: "configuration" }, { kind: "hosts" }];
  const done = setupDone({ ...EMPTY, hostsOnline: 3, judged: true, problems });
  expect([done.describe, done.host]).toEqual(["no", "no"]);
});

test("a name is checked by the server's rule, and a command has only a name that the server takes", () => {
  for (const name of ["", "nf", "9p", "my-nf_2.x"]) expect(nameFault(name)).toBeNull();
  expect(nameFault("my nf!")).toContain("Only letters");
  expect(nameFault("-nf")).toContain("must begin");
  expect(addCommand("my nf!", "/srv/my nf's.git")).toBe(
    "nalm-server project add NAME --repository '/srv/my nf'\\''s.git'",
  );
  expect(addCommand("nf", "~/nf.git")).toBe("nalm-server project add nf --repository ~/nf.git");
});
