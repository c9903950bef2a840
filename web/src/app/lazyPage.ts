// SPDX-License-Identifier: Apache-2.0
/** A page whose code is loaded when it is first opened: a server that is away then is said to be, within the frame. */
import { lazyRouteComponent } from "@tanstack/react-router";
import { ApiError } from "../shared/api/client";
import { isAway, lookAgain } from "../shared/api/connection";

// biome-ignore lint/suspicious/noExplicitAny: as the router has it
export function lazyPage<T extends Record<string, any>, Name extends keyof T>(
  load: () => Promise<T>,
  name: Name,
) {
  return lazyRouteComponent(() => load().catch(whyNot), name);
}

/** The router takes a missing file for an older version of the page and loads the whole again: from nowhere, now. */
async function whyNot(error: unknown): Promise<never> {
  await lookAgain();
  throw isAway() ? new ApiError(null, "unreachable", "No answer from the server.") : error;
}
