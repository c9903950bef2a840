-- SPDX-License-Identifier: Apache-2.0
-- Commits from first to last of `bench` with a run in each scenario; a few stages step at commit 60, the last of all at commit 97.
INSERT INTO commits (id, project_id, sha, parent_sha, position, listed, subject)
WITH RECURSIVE n(i) AS (SELECT CAST(:first AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < :last)
SELECT i, 1, 'c' || i, 'c' || (i - 1), i, true, 'nat: a change' FROM n;

INSERT INTO runs (id, run_id, project_id, scenario_id, host_id, commit_id, base_sha, head_sha, host_class, status, digest,
                  started_at, finished_at, received_at)
SELECT c.id * 1000 + s.id, 'r' || (c.id * 1000 + s.id), 1, s.id, 1, c.id, c.parent_sha, c.sha, 'vm-2', 'measured', c.sha,
       '2026-11-21 09:00:00+00:00', '2026-11-21 09:00:00+00:00', '2026-11-21 09:00:00+00:00'
FROM commits c CROSS JOIN scenarios s WHERE c.id BETWEEN :first AND :last;

INSERT INTO verdicts (run_id, outcome, display, summary, features_added, features_removed, unchanged, document)
SELECT id, 'same', 'same', '', '[]', '[]', false, '{}' FROM runs WHERE commit_id BETWEEN :first AND :last;

INSERT INTO series_values (series_id, run_id, value)
SELECT s.id, r.id,
       CASE WHEN s.metric = 'ipp' THEN 300.0
            ELSE 100.0 * (1 + 0.00001 * ((s.id * 7919 + r.commit_id * r.commit_id * 10473 + s.id % 97 * r.commit_id * 313) % 1009))
                 * CASE WHEN s.id % 100 = 3 AND r.commit_id >= 60 THEN 1.05 ELSE 1 END
                 * CASE WHEN s.id % 50 = 1 AND r.commit_id >= 97 THEN 1.03 ELSE 1 END END
FROM runs r JOIN series s ON s.scenario_id = r.scenario_id WHERE r.commit_id BETWEEN :first AND :last;
