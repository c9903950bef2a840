// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { linkOf, may, passwordFault, returnPath } from "./roles";

const session = (role: "reader" | "developer" | "maintainer", administrator = false) => ({
  name: "ada",
  administrator,
  roles: [{ project: "nf", role }],
});

test("a role includes those below it, in its own project", () => {
  expect(may(session("maintainer"), "nf", "developer")).toBe(true);
  expect(may(session("reader"), "nf", "developer")).toBe(false);
  expect(may(session("maintainer"), "other", "reader")).toBe(false);
  expect(may(session("reader", true), "other", "administrator")).toBe(true);
});

test("nobody may anything", () => {
  expect(may(undefined, "nf", "reader")).toBe(false);
  expect(may({ name: null, administrator: false, roles: [] }, "nf", "reader")).toBe(false);
});

test("the secret of a link is behind the #", () => {
  expect(linkOf("#link=s3cret")).toBe("s3cret");
  expect(linkOf("#link=")).toBeNull();
  expect(linkOf("")).toBeNull();
});

test("one comes back to a page of this server only", () => {
  expect(returnPath("/p/nf?outcome=same")).toBe("/p/nf?outcome=same");
  for (const bad of [undefined, "https://evil.example", "//evil.example", "/\\evil.example", "/sign-in?to=/"])
    expect(returnPath(bad)).toBe("/");
});

test("a new password is checked before it is sent", () => {
  expect(passwordFault("short", "short")).toMatch(/12/);
  expect(passwordFault("long enough a one", "long enough an one")).toMatch(/match/);
  expect(passwordFault("long enough a one", "long enough a one")).toBeNull();
});
