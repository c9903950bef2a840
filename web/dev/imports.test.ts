// SPDX-License-Identifier: Apache-2.0
/** Imports go one way. The linter holds it while one types; this holds the linter's rule itself. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");
const LAYERS = ["logic", "api", "components", "pages", "app"];

const layerOf = (file: string): number => LAYERS.indexOf(relative(SOURCE, file).split("/")[0] ?? "");

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .map((file) => resolve(SOURCE, file));

test("there is something to look at", () => expect(files.length).toBeGreaterThan(30));

test.each(files.map((file) => [relative(SOURCE, file), file]))("%s imports only from below", (_, file) => {
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(/from "(\.{1,2}\/[^"]+)"/g)].map((match) =>
    resolve(dirname(file), match[1] ?? ""),
  );
  const above = imported.filter((target) => layerOf(target) > layerOf(file));
  expect(above.map((target) => relative(SOURCE, target))).toEqual([]);
});

test("logic knows neither React nor the network", () => {
  const logic = files.filter((file) => layerOf(file) === 0 && !file.endsWith(".test.ts"));
  const outside = logic.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/from "([^."][^"]*)"/g)].map((m) => m[1]),
  );
  expect(outside).toEqual([]);
});
