// SPDX-License-Identifier: Apache-2.0
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { codeQuery, compareQuery } from "./compare";

test.each([compareQuery, codeQuery])("another pair does not show the data of the one before", (query) => {
  const queries = new QueryClient();
  const [first, second] = ["b", "c"].map((head) => query("demo", { base: "a", head }));
  if (!first || !second) throw new Error("two pairs");
  queries.setQueryData(first.queryKey, {} as never);
  const of = (one: typeof first) => ({ ...(one as object), queryKey: one.queryKey, enabled: false });
  const shown = new QueryObserver(queries, of(first));
  expect(shown.getCurrentResult().data).toEqual({});
  shown.setOptions(of(second));
  expect(shown.getCurrentResult().data).toBeUndefined();
});
