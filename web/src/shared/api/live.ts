// SPDX-License-Identifier: Apache-2.0
/** Changes of jobs as the server tells of them. The browser comes back by itself and resumes. */
import { lookAgain } from "./connection";
import type { JobDetail } from "./types";

type ReportedField =
  | "id"
  | "project"
  | "state"
  | "step"
  | "detail"
  | "fraction"
  | "message"
  | "host"
  | "head_sha";

/** An event `job` of GET /live; a stream's events are not part of the OpenAPI document. */
export type JobChange = Pick<JobDetail, ReportedField | "backfill_id" | "bisect_id"> & {
  log: string | null;
  log_restarted: boolean;
};

export interface Followed {
  project?: string | undefined;
  job?: number | undefined;
  backfill?: number | undefined;
  bisect?: number | undefined;
}

/** After a refusal the browser gives up; then it is tried again after this. Milliseconds. */
const AGAIN_MS = 10_000;

/** Follows until the returned function is called. `onLive` tells whether changes are being told of. */
export function follow(
  filter: Followed,
  onJob: (change: JobChange) => void,
  onLive: (live: boolean) => void,
): () => void {
  const query = new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`/api/v1/live?${query}`);
    source.onopen = () => onLive(true);
    source.addEventListener("job", (event) => onJob(JSON.parse(event.data) as JobChange));
    source.onerror = () => {
      onLive(false);
      void lookAgain();
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
