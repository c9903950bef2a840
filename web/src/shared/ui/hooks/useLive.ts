// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Followed, follow, type JobChange } from "../../api/live";
import type { Job } from "../../api/types";
import { merged } from "../../logic/queue";

/** Follows changes of jobs; true while they are told of, so that a page need not ask. */
export function useLive(filter: Followed, onJob: (change: JobChange) => void): boolean {
  const [live, setLive] = useState(false);
  const latest = useRef(onJob);
  latest.current = onJob;
  const { project, job, backfill, bisect } = filter;
  useEffect(
    () => follow({ project, job, backfill, bisect }, (change) => latest.current(change), setLive),
    [project, job, backfill, bisect],
  );
  return live;
}

/** Lists of jobs are read again at most so often, however many jobs move. Milliseconds. */
const GATHER_MS = 400;

/** Keeps the lists of jobs, and queries whose keys begin with one of `also`, as the server has them. */
export function useLiveJobs(filter: Followed, also: readonly string[] = []): boolean {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const renewSoon = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      for (const key of ["jobs", ...also]) queries.invalidateQueries({ queryKey: [key] });
    }, GATHER_MS);
  };
  return useLive(filter, (change) => {
    let moved = true;
    queries.setQueriesData<Job[]>({ queryKey: ["jobs"] }, (jobs) => {
      const next = jobs && merged(jobs, change);
      if (next) moved = false;
      return next ?? jobs;
    });
    if (moved) renewSoon();
  });
}
