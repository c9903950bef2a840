-- SPDX-License-Identifier: Apache-2.0
-- The points of histories, after the runs of grown.sql or stored.sql: one run for each commit, all valid.
INSERT INTO history_points (run_number, run_id, scenario_id, host_class, commit_id, base_sha, display, cause, stage,
                            ratio_cpp, low, high)
SELECT r.id, r.run_id, r.scenario_id, r.host_class, r.commit_id, r.base_sha, v.display, v.cause, v.stage,
       v.ratio_cpp, v.low, v.high
FROM runs r JOIN verdicts v ON v.run_id = r.id
ORDER BY r.id;
