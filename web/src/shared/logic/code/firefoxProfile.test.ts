// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { firefoxProfile } from "./firefoxProfile";

const leaf = (name: string, base: number, head: number) => ({ name, base, head });
const root = {
  ...leaf("chain", 10, 14.5),
  children: [
    { ...leaf("nat", 8, 12), file: "nat.c", line: 58, children: [leaf("hash", 3, 3)] },
    leaf("tx", 2, 0),
  ],
};

interface Thread {
  samples: { stack: number[]; weight: number[]; length: number };
  stackTable: { frame: number[]; prefix: (number | null)[]; length: number };
  frameTable: { func: number[] };
  funcTable: { name: number[]; fileName: (number | null)[]; lineNumber: (number | null)[] };
  stringArray: string[];
}

/** Names from the outermost caller on, of each sample. */
function callsOf(thread: Thread): Record<string, number> {
  const nameOf = (stack: number): string =>
    thread.stringArray[
      thread.funcTable.name[
        thread.frameTable.func[thread.stackTable.frame[stack] as number] as number
      ] as number
    ] as string;
  const path = (stack: number | null): string[] =>
    stack === null ? [] : [...path(thread.stackTable.prefix[stack] ?? null), nameOf(stack)];
  return Object.fromEntries(
    thread.samples.stack.map((stack, at) => [path(stack).join(" > "), thread.samples.weight[at] as number]),
  );
}

describe("a profile for Firefox Profiler", () => {
  const profile = firefoxProfile(root, "cycles/packet", { base: "base abc", head: "head def" }, 0);
  const [base, head] = profile.threads as unknown as [Thread, Thread];

  test("has each side's own costs, and frames of that side only", () => {
    expect(callsOf(base)).toEqual({
      "chain > nat": 5000,
      "chain > nat > hash": 3000,
      "chain > tx": 2000,
    });
    expect(callsOf(head)).toEqual({ chain: 2500, "chain > nat": 9000, "chain > nat > hash": 3000 });
  });

  test("keeps file and line, and every table's length", () => {
    const at = base.funcTable.fileName.findIndex((one) => one !== null);
    expect(base.stringArray[base.funcTable.fileName[at] as number]).toBe("nat.c");
    expect(base.funcTable.lineNumber[at]).toBe(58);
    for (const thread of profile.threads)
      for (const table of Object.values(thread) as { length?: number; [column: string]: unknown }[])
        if (table && typeof table === "object" && !Array.isArray(table))
          for (const column of Object.values(table))
            if (Array.isArray(column)) expect(column).toHaveLength(table.length as number);
  });
});
