// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { choosesEvents, FIELDS, integrationOf, KINDS, usualValues } from "./integrations";

test("a forge with a token gets what it needs and is told of everything", () => {
  const values = { ...usualValues("gitlab"), repository: " nf/vpp ", token: "glpat-1\n", recipients: "a@b" };
  expect(integrationOf("gitlab", "forge", values, ["failed"])).toEqual({
    kind: "gitlab",
    name: "forge",
    enabled: true,
    statuses: true,
    comments: true,
    url: "https://gitlab.com",
    repository: "nf/vpp",
    token: "glpat-1",
  });
  expect(choosesEvents("gitlab")).toBe(false);
});

test("an App's numbers are numbers", () => {
  const made = integrationOf("github_app", "app", { app_id: "17", installation_id: "99" }, []);
  expect(made).toMatchObject({ app_id: 17, installation_id: 99 });
});

test("mail goes to each line, about what was chosen", () => {
  const made = integrationOf("email", "team", { recipients: "a@example.org\n\n b@example.org" }, ["broken"]);
  expect(made).toEqual({
    kind: "email",
    name: "team",
    enabled: true,
    branches: ["*"],
    scenarios: ["*"],
    events: ["broken"],
    recipients: ["a@example.org", "b@example.org"],
  });
});

test("everything that is asked for is sent", () => {
  for (const kind of KINDS) {
    const values = Object.fromEntries(FIELDS[kind].map((field) => [field.key, "4711"]));
    const sent = JSON.stringify(integrationOf(kind, "x", values, []));
    expect(sent.split("4711")).toHaveLength(FIELDS[kind].length + 1);
  }
});
