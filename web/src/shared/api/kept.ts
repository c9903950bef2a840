// SPDX-License-Identifier: Apache-2.0
import type { QueryKey } from "@tanstack/react-query";

/** `placeholderData`: what a query showed before, if its key began as this one does, with the same project. */
export const keptFor =
  (...begin: QueryKey) =>
  <Data>(data: Data | undefined, former?: { queryKey: QueryKey }): Data | undefined =>
    former && begin.every((one, place) => former.queryKey[place] === one) ? data : undefined;
