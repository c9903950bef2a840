// SPDX-License-Identifier: Apache-2.0
/**
 * A call tree of both sides in the processed format of Firefox Profiler, version 48, which its later versions read
 * (docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler): a thread for each side, a sample for each frame
 * with a cost of its own, weighted by that cost.
 */

/** Newer versions of the viewer bring it up to date themselves. */
const FORMAT_VERSION = 48;
/** Weights are whole numbers: thousandths of an instruction or cycle per packet. */
const PER_UNIT = 1000;

interface FrameLike {
  name: string;
  base: number;
  head: number;
  file?: string | null;
  line?: number | null;
  children?: readonly FrameLike[];
}
type Side = "base" | "head";

interface Thread {
  name: string;
  [table: string]: unknown;
}

export function firefoxProfile(root: FrameLike, unit: string, names: Record<Side, string>, startMs: number) {
  return {
    meta: {
      version: 27,
      preprocessedProfileVersion: FORMAT_VERSION,
      product: `nalm, ${unit} in thousandths`,
      interval: 1,
      startTime: startMs,
      processType: 0,
      stackwalk: 1,
      symbolicated: true,
      categories: [{ name: "Other", color: "grey", subcategories: ["Other"] }],
      markerSchema: [],
    },
    libs: [],
    pages: [],
    threads: (["base", "head"] as const).map((side, at) => threadOf(root, side, names[side], at)),
  };
}

function threadOf(root: FrameLike, side: Side, name: string, at: number): Thread {
  const strings = interned<string>((text) => text);
  const functions = interned<FrameLike>((one) => `${one.name}\n${one.file ?? ""}\n${one.line ?? ""}`);
  const stacks: { frame: number; prefix: number | null }[] = [];
  const samples: { stack: number; weight: number }[] = [];
  const walk = (frame: FrameLike, prefix: number | null): void => {
    if (frame[side] <= 0) return;
    const stack = stacks.push({ frame: functions.at(frame), prefix }) - 1;
    const children = frame.children ?? [];
    const own = frame[side] - children.reduce((sum, child) => sum + child[side], 0);
    const weight = Math.round(own * PER_UNIT);
    if (weight > 0) samples.push({ stack, weight });
    for (const child of children) walk(child, stack);
  };
  walk(root, null);
  const all = functions.all();
  const each = <T>(value: T): T[] => all.map(() => value);
  const funcTable = {
    name: all.map((one) => strings.at(one.name)),
    isJS: each(false),
    relevantForJS: each(false),
    resource: each(-1),
    fileName: all.map((one) => (one.file ? strings.at(one.file) : null)),
    lineNumber: all.map((one) => one.line ?? null),
    columnNumber: each(null),
    length: all.length,
  };
  const none = { length: 0 };
  return {
    name,
    processName: name,
    processType: "default",
    isMainThread: at === 0,
    pid: String(at),
    tid: at,
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: 0,
    unregisterTime: null,
    pausedRanges: [],
    samples: {
      stack: samples.map((one) => one.stack),
      time: samples.map((_, place) => place),
      weight: samples.map((one) => one.weight),
      weightType: "samples",
      length: samples.length,
    },
    stackTable: {
      frame: stacks.map((one) => one.frame),
      prefix: stacks.map((one) => one.prefix),
      category: stacks.map(() => 0),
      subcategory: stacks.map(() => 0),
      length: stacks.length,
    },
    frameTable: {
      address: each(-1),
      inlineDepth: each(0),
      category: each(0),
      subcategory: each(0),
      func: all.map((_, place) => place),
      nativeSymbol: each(null),
      innerWindowID: each(null),
      implementation: each(null),
      line: all.map((one) => one.line ?? null),
      column: each(null),
      length: all.length,
    },
    funcTable,
    resourceTable: { lib: [], name: [], host: [], type: [], ...none },
    nativeSymbols: { libIndex: [], address: [], name: [], functionSize: [], ...none },
    markers: { data: [], name: [], startTime: [], endTime: [], phase: [], category: [], ...none },
    stringArray: strings.all(),
  };
}

/** Values by key, each once, in the order of their first use. */
function interned<T>(keyOf: (value: T) => string) {
  const places = new Map<string, number>();
  const values: T[] = [];
  return {
    at(value: T): number {
      const key = keyOf(value);
      const known = places.get(key);
      if (known !== undefined) return known;
      places.set(key, values.length);
      return values.push(value) - 1;
    },
    all: (): readonly T[] => values,
  };
}
