// SPDX-License-Identifier: Apache-2.0
import { hostJobsQuery } from "../api/jobs";
import { JobRow } from "./JobRow";
import { SettingsPart } from "./SettingsPart";
import { useNow } from "./useNow";

/** What a host works on and what it worked on last, of projects the reader may see. */
export function HostJobs({ host }: { host: string }) {
  const now = useNow();
  return (
    <SettingsPart title="Jobs, newest first" query={hostJobsQuery(host)}>
      {(jobs) =>
        jobs.length === 0 ? (
          <p className="soft">It has taken no job that you may read yet.</p>
        ) : (
          <ol className="rows jobs">
            {jobs.map((job) => (
              <JobRow key={job.id} job={job} now={now} />
            ))}
          </ol>
        )
      }
    </SettingsPart>
  );
}
