// SPDX-License-Identifier: Apache-2.0
/** A differential flame graph laid out: widths are the slower side's cost, colours the change. */

export interface FrameLike {
  name: string;
  base: number;
  head: number;
  children?: readonly FrameLike[];
}

export interface Box<F extends FrameLike = FrameLike> {
  frame: F;
  /** Places among siblings from the root, joined by dots; empty for the root. */
  path: string;
  depth: number;
  /** 0 to 1 of the whole width. */
  from: number;
  width: number;
}

/** Narrower frames could be neither seen nor hit. */
const NARROWEST = 0.0015;

const weight = (frame: FrameLike): number => Math.max(frame.base, frame.head);

/** Children never exceed their caller: where one grew and another shrank, both are drawn smaller. */
function shares(frame: FrameLike): number[] {
  const weights = (frame.children ?? []).map(weight);
  const sum = weights.reduce((a, b) => a + b, 0);
  const whole = Math.max(weight(frame), sum);
  return weights.map((one) => (whole > 0 ? one / whole : 0));
}

export function layout<F extends FrameLike>(frame: F, path = "", depth = 0, from = 0, width = 1): Box<F>[] {
  const boxes: Box<F>[] = [{ frame, path, depth, from, width }];
  let left = from;
  for (const [place, share] of shares(frame).entries()) {
    const child = frame.children?.[place] as F;
    const wide = share * width;
    if (wide >= NARROWEST)
      boxes.push(...layout(child, path ? `${path}.${place}` : `${place}`, depth + 1, left, wide));
    left += wide;
  }
  return boxes;
}

/** The frame of an address, and the frames above it, the root first. A path that leads nowhere ends early. */
export function along<F extends FrameLike>(root: F, path: string | undefined): { frame: F; path: string }[] {
  const found = [{ frame: root, path: "" }];
  for (const place of (path ?? "").split(".").filter((part) => /^\d+$/.test(part))) {
    const last = found[found.length - 1];
    const child = last?.frame.children?.[Number(place)] as F | undefined;
    if (!last || !child) break;
    found.push({ frame: child, path: last.path ? `${last.path}.${place}` : place });
  }
  return found;
}

export type Tone = "more" | "less" | "new" | "gone" | "same";

/** Share of the root's cost below which a frame's change is not coloured. */
const SEEN = 0.002;

export function toneOf(frame: FrameLike, whole: number): Tone {
  const change = frame.head - frame.base;
  if (Math.abs(change) < SEEN * whole) return "same";
  if (frame.base === 0) return "new";
  if (frame.head === 0) return "gone";
  return change > 0 ? "more" : "less";
}

/** How strong a colour is, 0.25 to 1, by the change relative to the frame. */
export const strength = (frame: FrameLike): number =>
  Math.min(1, 0.25 + (2 * Math.abs(frame.head - frame.base)) / (weight(frame) || 1));

/** Where the keyboard goes from a frame: the nearest box that is drawn in that direction, or itself. */
export function neighbour(boxes: readonly Box[], path: string, key: string): string {
  const at = boxes.findIndex((box) => box.path === path);
  const here = boxes[at];
  if (!here) return path;
  const level = boxes.filter((box) => box.depth === here.depth);
  const place = level.indexOf(here);
  const next: Record<string, Box | undefined> = {
    ArrowLeft: level[place - 1],
    ArrowRight: level[place + 1],
    ArrowDown: boxes.find((box) => box.depth === here.depth + 1 && box.from >= here.from - 1e-9),
    ArrowUp: boxes.findLast((box) => box.depth === here.depth - 1 && box.from <= here.from + 1e-9),
    Home: boxes[0],
  };
  return next[key]?.path ?? path;
}
