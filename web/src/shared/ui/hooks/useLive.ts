// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Followed, follow, type JobChange } from "../../api/live";
import type { Job } from "../../api/types";
import { merged } from "../../logic/queue";

/**
 * Follows changes of jobs; true while they are told of, so that a page need not ask. `onAgain`: they are told of again,
 * after a time in which some may have been missed.
 */
export function useLive(
  filter: Followed,
  onJob: (change: JobChange) => void,
  onAgain: () => void = () => {},
): boolean {
  const [live, setLive] = useState(false);
  const latest = useRef({ onJob, onAgain });
  latest.current = { onJob, onAgain };
  const { project, job, backfill, bisect } = filter;
  useEffect(() => {
    let before = false;
    return follow(
      { project, job, backfill, bisect },
      (change) => latest.current.onJob(change),
      (now) => {
        setLive(now);
        if (now && before) latest.current.onAgain();
        before ||= now;
      },
    );
  }, [project, job, backfill, bisect]);
  return live;
}

/** Lists of jobs are read again at most so often, however many jobs move. Milliseconds. */
const GATHER_MS = 400;

/** Keeps the lists of jobs, and queries whose keys begin with one of `also`, as the server has them. */
export function useLiveJobs(filter: Followed, also: readonly string[] = []): boolean {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // A change does not put it off: while jobs move all the time, the lists would never be read.
  const renewSoon = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const key of ["jobs", ...also]) queries.invalidateQueries({ queryKey: [key] });
    }, GATHER_MS);
  };
  const take = (change: JobChange): void => {
    let moved = true;
    queries.setQueriesData<Job[]>({ queryKey: ["jobs"] }, (jobs) => {
      const next = jobs && merged(jobs, change);
      if (next) moved = false;
      return next ?? jobs;
    });
    if (moved) renewSoon();
  };
  return useLive(filter, take, renewSoon);
}
