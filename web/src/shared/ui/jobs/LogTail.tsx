// SPDX-License-Identifier: Apache-2.0
/** The end of a job's log, growing while one looks. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { jobQuery } from "../../api/jobs";
import { grown } from "../../logic/queue";
import { isActive } from "../../logic/run/verdict";
import { useLive } from "../hooks/useLive";

export function LogTail({ id, tall = false }: { id: number; tall?: boolean }) {
  const queries = useQueryClient();
  const { data: job } = useQuery(jobQuery(id));
  const [followed, setFollowed] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  useLive({ job: id }, (change) => {
    if (change.log !== null) setFollowed((tail) => grown(tail ?? "", change));
    queries.invalidateQueries({ queryKey: ["job", id] });
  });
  const tail = followed ?? job?.log_tail ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is a reason to look at the end
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [tail]);
  if (tail === "")
    return <p className="soft">{job && !isActive(job) ? "The job has no log." : "No log yet."}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={tall ? "log tall" : "log"} tabIndex={0} aria-label={`Log of job ${id}`}>
      {tail}
    </section>
  );
}
