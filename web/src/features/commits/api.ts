// SPDX-License-Identifier: Apache-2.0
import { infiniteQueryOptions } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";
import { keptFor } from "../../shared/api/kept";
import type { CommitSummary } from "../../shared/api/types";
import { isActive } from "../../shared/logic/run/verdict";

const PAGE = 50;
const POLL_ACTIVE_MS = 2_000;
const POLL_IDLE_MS = 15_000;
/** Of a longer list only what is new is asked for again, by hand. */
const POLLED_PAGES = 3;

export interface CommitsFilter {
  text: string | undefined;
  outcomes: readonly string[];
  scenario: string | undefined;
}

const active = (commits: readonly CommitSummary[]): boolean => commits.some((one) => isActive(one.job));

/** Commits that the server finds, newest first, page by page. */
export const commitSearchQuery = (project: string, { text, outcomes, scenario }: CommitsFilter) =>
  infiniteQueryOptions({
    queryKey: ["commits", project, "search", text ?? null, outcomes.join(), scenario ?? null],
    queryFn: ({ pageParam, signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/commits/search", {
          params: {
            path: { project },
            query: {
              limit: PAGE,
              ...(text ? { text } : {}),
              ...(outcomes.length > 0
                ? { outcome: [...outcomes] as CommitSummary["verdicts"][number]["display"][] }
                : {}),
              ...(scenario ? { scenario } : {}),
              ...(pageParam ? { before: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      if (pages.length > POLLED_PAGES) return false;
      return pages.some((page) => active(page.commits)) ? POLL_ACTIVE_MS : POLL_IDLE_MS;
    },
    placeholderData: keptFor("commits", project, "search"),
  });
