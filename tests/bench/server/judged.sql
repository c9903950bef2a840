-- SPDX-License-Identifier: Apache-2.0
-- Ten thousand series, for SQLite and PostgreSQL alike: 200 scenarios, CPP and IPP of the chain and 24 stages, 100 commits.
INSERT INTO projects (id, name, repository, default_branch, webhook_secret, created_at)
VALUES (1, 'bench', '/srv/nf.git', 'main', '', '2026-11-21 09:00:00+00:00');

INSERT INTO hosts (id, name, host_class, first_seen_at) VALUES (1, 'bench-1', 'vm-2', '2026-11-21 09:00:00+00:00');

INSERT INTO scenarios (id, project_id, name, model, lcores, traffic, load, stages)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
SELECT i, 1, 'scenario-' || i, 'rtc', 1, 'mixed.pcap', 'closed', '[]' FROM n;

INSERT INTO series (id, scenario_id, metric, host_class, stage, source)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
SELECT i + 1, i / 50 + 1, CASE WHEN i % 2 = 0 THEN 'cpp' ELSE 'ipp' END, 'vm-2',
       CASE WHEN i % 50 < 2 THEN 'chain' ELSE 'stage-' || (i % 50 / 2) END,
       CASE WHEN i % 2 = 0 THEN 'tsc' ELSE 'simulated' END
FROM n;
