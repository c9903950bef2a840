// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { jobQuery } from "../../api/jobs";
import { said, sentence } from "../../logic/text/format";

/** Why no host takes a queued job, where that is so; else that it waits for its turn. */
export function WhyWaits({ id }: { id: number }) {
  const { data: job } = useQuery({ ...jobQuery(id), staleTime: 10_000, refetchInterval: 30_000 });
  if (job?.waiting) return <span className="held">{sentence(said(job.waiting))}</span>;
  return <span className="soft">Waiting in the queue</span>;
}
