// SPDX-License-Identifier: Apache-2.0
import { hostJobsQuery } from "../../shared/api/jobs";
import { useNow } from "../../shared/ui/hooks/useNow";
import { JobTable } from "../../shared/ui/jobs/JobTable";
import { SettingsPart } from "../../shared/ui/SettingsPart";

/** What a host works on and what it worked on last, of projects the reader may see. */
export function HostJobs({ host }: { host: string }) {
  const now = useNow();
  return (
    <SettingsPart title="Jobs, newest first" query={hostJobsQuery(host)}>
      {(jobs) =>
        jobs.length === 0 ? (
          <p className="soft">No jobs that you may read.</p>
        ) : (
          <JobTable jobs={jobs} label="Jobs of the host" now={now} />
        )
      }
    </SettingsPart>
  );
}
