// SPDX-License-Identifier: Apache-2.0
import { hashKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiError } from "../../api/client";

interface Options<Request, Result> {
  /** First words of the keys of queries that are read again after it. */
  renews?: readonly string[];
  onDone?: (result: Result, request: Request) => void;
}

/**
 * Something a person does that changes the server: run, its error to be shown in place, what it changes renewed.
 * A second press while the same request is under way does nothing; other requests may be under way beside it.
 */
export function useAction<Request, Result>(
  act: (request: Request) => Promise<Result>,
  { renews = [], onDone }: Options<Request, Result> = {},
) {
  const queries = useQueryClient();
  const underWay = useRef(new Set<string>());
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: async (result, request) => {
      // First, so that it resets no form in which somebody types meanwhile.
      onDone?.(result, request);
      await Promise.all(renews.map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      if (error.status === 403) queries.invalidateQueries({ queryKey: ["session"] });
      // A form is shown to those who are signed in: it stays, with its text, until the page has the focus again.
      if (error.status === 401) queries.invalidateQueries({ queryKey: ["session"], refetchType: "none" });
    },
    onSettled: (_result, _error, request) => {
      underWay.current.delete(hashKey([request]));
    },
  });
  const mutate = (request: Request): void => {
    const key = hashKey([request]);
    if (underWay.current.has(key)) return;
    underWay.current.add(key);
    mutation.mutate(request);
  };
  return { ...mutation, mutate };
}
