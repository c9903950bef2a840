// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ExportLinks } from "./ExportLinks";

afterEach(cleanup);

test("an export is not said to be importable as JSON, nor to be a backup", () => {
  const { container } = render(<ExportLinks project="my nf" />);
  const address = "/api/v1/projects/my%20nf/export?format=";
  const links = screen.getAllByRole("link").map((one) => [one.textContent, one.getAttribute("href")]);
  expect(links).toEqual([
    ["CSV", `${address}csv`],
    ["JSON", `${address}json`],
  ]);
  expect(container.textContent).not.toContain("either file");
  expect(container.textContent).toContain("does not import the JSON");
  expect(container.textContent).toContain("nalm-server backup");
});
