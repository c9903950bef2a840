// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../api/client";

interface Options<Request, Result> {
  /** First words of the keys of queries that are read again after it. */
  renews?: readonly string[];
  onDone?: (result: Result, request: Request) => void;
}

/** Something a person does that changes the server: run, its error to be shown in place, what it changes renewed. */
export function useAction<Request, Result>(
  act: (request: Request) => Promise<Result>,
  { renews = [], onDone }: Options<Request, Result> = {},
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result, request) => {
      await Promise.all(renews.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      onDone?.(result, request);
    },
    onError: (error) => {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403))
        queries.invalidateQueries({ queryKey: ["session"] });
    },
  });
}
