// SPDX-License-Identifier: Apache-2.0
/** Whether the server answers. Each request tells; after one without an answer the server is asked until it does. */

const AGAIN_MS = 3_000;
/** What a proxy answers in the place of a server that is away. */
const GATEWAY = [502, 504];

let away = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function isAway(): boolean {
  return away;
}

/** `listener` is called at each change, until the returned function is. */
export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A request was answered, by the server or a proxy, or not at all: null. */
export function answeredWith(status: number | null): void {
  const before = away;
  away = status === null || GATEWAY.includes(status);
  clearTimeout(timer);
  if (away) timer = setTimeout(lookAgain, AGAIN_MS);
  if (away !== before) for (const listener of listeners) listener();
}

/** Asks the server whether it is there. */
export async function lookAgain(): Promise<void> {
  try {
    answeredWith((await fetch("/api/v1/health/live", { cache: "no-store" })).status);
  } catch {
    answeredWith(null);
  }
}
