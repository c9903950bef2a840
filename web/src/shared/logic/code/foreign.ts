// SPDX-License-Identifier: Apache-2.0
/** Symbols that are only addresses in a library, `libhs.so.5+0x1f20`, are of one foreign part and shown as one. */

const ADDRESS = /^(.*\.so(?:\.\d+)*)\+0x[0-9a-f]+$/;

/** The library of a symbol that is only an address; null: a name. */
export const libraryOf = (name: string): string | null => ADDRESS.exec(name)?.[1] ?? null;

interface Side {
  ipp?: number | null;
  calls?: number | null;
  cpp?: number | null;
  error?: number | null;
  file?: string | null;
  line?: number | null;
  lines?: readonly unknown[];
}
interface FunctionLike<S extends Side> {
  name: string;
  stage: string | null;
  base: S | null;
  head: S | null;
}

const sum = (a: number | null | undefined, b: number | null | undefined): number | null =>
  a == null && b == null ? null : (a ?? 0) + (b ?? 0);

function together<S extends Side>(one: S | null, other: S | null): S | null {
  if (one === null || other === null) return one ?? other;
  return {
    ...one,
    ipp: sum(one.ipp, other.ipp),
    calls: sum(one.calls, other.calls),
    cpp: sum(one.cpp, other.cpp),
    error: Math.hypot(one.error ?? 0, other.error ?? 0),
    lines: [],
  };
}

/** One row for all addresses of a library in a stage, in the place of its first; the others as they are. */
export function foldedFunctions<S extends Side, F extends FunctionLike<S>>(functions: readonly F[]): F[] {
  const places = new Map<string, number>();
  const counts = new Map<number, number>();
  const found: F[] = [];
  for (const one of functions) {
    const library = libraryOf(one.name);
    const key = `${one.stage ?? ""}/${library}`;
    const place = library === null ? undefined : places.get(key);
    const before = place === undefined ? undefined : found[place];
    if (place !== undefined && before !== undefined) {
      counts.set(place, (counts.get(place) ?? 1) + 1);
      found[place] = {
        ...before,
        base: together(before.base, one.base),
        head: together(before.head, one.head),
      };
    } else {
      if (library !== null) places.set(key, found.length);
      found.push(one);
    }
  }
  return found.map((one, place) => {
    const count = counts.get(place);
    return count === undefined ? one : { ...one, name: `${libraryOf(one.name)} (${count} symbols)` };
  });
}

interface FrameLike {
  name: string;
  base: number;
  head: number;
  children?: readonly FrameLike[];
}

/** The same for frames: addresses of a library under one caller are one frame, as are those that they call. */
export function foldedFrames<F extends FrameLike>(frame: F): F {
  const merged = new Map<string, FrameLike>();
  for (const child of frame.children ?? []) {
    const library = libraryOf(child.name);
    const name = library ?? child.name;
    const key = library === null ? `${merged.size} ${name}` : name;
    const before = merged.get(key);
    // Below a frame of the same library its calls are its own.
    const inner = library !== null && library === frame.name ? (child.children ?? []) : null;
    if (inner !== null) for (const each of inner) merged.set(`${merged.size} ${each.name}`, each);
    else if (before === undefined) merged.set(key, library === null ? child : { ...child, name });
    else
      merged.set(key, {
        ...before,
        base: before.base + child.base,
        head: before.head + child.head,
        children: [...(before.children ?? []), ...(child.children ?? [])],
      });
  }
  return { ...frame, children: [...merged.values()].map(foldedFrames) };
}
