// SPDX-License-Identifier: Apache-2.0
/** Fails when a folder of src holds more than 25 code files, or fewer than three. */
import { readdirSync } from "node:fs";

const LEAST = 3;
const MOST = 25;

const counts = new Map();
for (const entry of readdirSync("src", { recursive: true, withFileTypes: true }))
  if (entry.isFile()) counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1);

const wrong = [...counts].filter(([, count]) => count < LEAST || count > MOST);
for (const [folder, count] of wrong)
  console.error(`${folder}: ${count} files; a folder of web/src holds ${LEAST} to ${MOST}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
