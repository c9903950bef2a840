-- SPDX-License-Identifier: Apache-2.0
-- Ten projects of 20,000 commits, five scenarios each: 1,000,000 runs with verdicts, 200,000 jobs, 2,060 alerts, over 200
-- days; the first project also has 3,000,000 values, of 10 stages and 3 metrics. For PostgreSQL.
INSERT INTO projects (id, name, repository, default_branch, webhook_secret, public, reference_sha, created_at)
SELECT p, 'grown-' || p, '/srv/nf.git', 'main', '', true, encode(sha256(('commit ' || p || ' 19000')::bytea), 'hex'),
       now() - interval '200 days'
FROM generate_series(1, 10) p;

INSERT INTO hosts (id, name, host_class, first_seen_at)
SELECT h, 'bench-' || h, 'vm-2', now() - interval '200 days' FROM generate_series(1, 4) h;

INSERT INTO commits (id, project_id, sha, parent_sha, position, listed, subject, message, author, committed_at)
SELECT (c - 1) * 10 + p, p, encode(sha256(('commit ' || p || ' ' || c)::bytea), 'hex'),
       encode(sha256(('commit ' || p || ' ' || c - 1)::bytea), 'hex'), c, true, 'nat: change number ' || c,
       'nat: change number ' || c, 'someone', now() - (20000 - c) * interval '864 seconds'
FROM generate_series(1, 20000) c, generate_series(1, 10) p;

INSERT INTO branches (project_id, name, sha, updated_at)
SELECT project_id, 'main', sha, committed_at FROM commits WHERE position = 20000;

INSERT INTO tags (project_id, name, sha, updated_at)
SELECT project_id, 'v' || position / 1000, sha, committed_at FROM commits WHERE position % 1000 = 0;

INSERT INTO scenarios (id, project_id, name, model, lcores, traffic, load, stages)
SELECT (p - 1) * 5 + s, p, 'scenario-' || s, 'rtc', 1, 'mixed.pcap', 'closed',
       '["rx", "nat", "dpi", "acl", "lb", "l3fwd", "ring", "tx", "dispatch"]'
FROM generate_series(1, 10) p, generate_series(1, 5) s;

INSERT INTO series (id, scenario_id, metric, host_class, stage, source)
SELECT row_number() OVER (), s, metric, 'vm-2', stage, 'tsc'
FROM generate_series(1, 5) s, unnest(ARRAY['cpp', 'ipp', 'eipc']) metric,
     unnest(ARRAY['chain', 'rx', 'nat', 'dpi', 'acl', 'lb', 'l3fwd', 'ring', 'tx', 'dispatch']) stage;

INSERT INTO jobs (id, project_id, commit_id, base_sha, head_sha, reason, state, attempts, fence, host, updated_seq,
                  leased_at, created_at, updated_at, finished_at)
SELECT id, project_id, id, parent_sha, sha, 'push', CASE WHEN position > 19990 THEN 'queued' ELSE 'done' END, 1, 1,
       'bench-' || position % 4 + 1, id, committed_at, committed_at, committed_at + interval '5 minutes',
       committed_at + interval '5 minutes'
FROM commits;

INSERT INTO job_transitions (job_id, state, at, reason) SELECT id, state, updated_at, 'measured' FROM jobs;

INSERT INTO runs (id, run_id, project_id, scenario_id, host_id, commit_id, job_id, base_sha, head_sha, host_class, status,
                  features, digest, started_at, finished_at, received_at)
SELECT (c.id - 1) * 5 + s, md5(c.id || ' ' || s), c.project_id, (c.project_id - 1) * 5 + s, c.position % 4 + 1, c.id, c.id,
       c.parent_sha, c.sha, 'vm-2', 'measured', '["nat", "acl", "lb"]', c.sha, c.committed_at,
       c.committed_at + interval '5 minutes', c.committed_at + interval '5 minutes'
FROM commits c, generate_series(1, 5) s
ORDER BY 1;

-- One commit in a hundred regresses, one in five hundred adds a feature, one in a thousand breaks.
INSERT INTO verdicts (run_id, outcome, display, stage, summary, ratio_cpp, low, high, features_added, features_removed,
                      price_cycles_per_packet, unchanged, document)
SELECT r.id, kind, CASE WHEN priced AND kind = 'same' THEN 'feature' ELSE kind END,
       CASE WHEN kind = 'regressed' THEN 'nat' END, 'cycles per packet', 1 + random() / 100, 0.99, 1.02,
       CASE WHEN priced THEN '["acl"]' ELSE '[]' END::json, '[]', CASE WHEN priced THEN 12.5 END, false,
       json_build_object('outcome', kind, 'reason', 'cycles per packet against base', 'summary', 'cycles per packet',
                         'scenario', 'scenario-' || (r.id - 1) % 5 + 1, 'notes', json_build_array(repeat('a note ', 10)))
FROM runs r
JOIN commits c ON c.id = r.commit_id,
LATERAL (SELECT CASE WHEN c.position % 1000 = 7 THEN 'broken' WHEN c.position % 97 = 3 THEN 'regressed' ELSE 'same' END kind,
                c.position % 500 = 11 AND r.id % 5 = 1 priced) judged
ORDER BY r.id;

INSERT INTO series_values (series_id, run_id, value, low, high, launches)
SELECT s.id, r.id, 300 + random(), 299, 302, ARRAY[300.1, 300.2, 300.3, 300.4, 300.5, 300.6, 300.7, 300 + random()]
FROM runs r JOIN series s ON s.scenario_id = r.scenario_id
WHERE r.project_id = 1
ORDER BY r.id, s.id;

INSERT INTO alerts (id, project_id, commit_id, state, kind, source, scenarios, scenario, stage, metric, ratio, low, high,
                    severity, confirmed_at, created_at, updated_at)
SELECT row_number() OVER (ORDER BY id), project_id, id,
       (ARRAY['confirmed', 'acknowledged', 'fixed', 'false_alarm', 'dismissed', 'expected'])[position / 97 % 6 + 1],
       'regression', 'line', '["scenario-1"]', 'scenario-1', 'nat', 'cpp', 1.05, 1.03, 1.07, random(),
       committed_at + interval '2 hours', committed_at + interval '1 hour', committed_at + interval '3 hours'
FROM commits WHERE position % 97 = 3 ORDER BY id;

INSERT INTO alert_states (alert_id, state, at, why, notified)
SELECT id, step, created_at + number * interval '1 hour', 'measured again', step = 'confirmed'
FROM alerts, unnest(ARRAY['new', 'confirmed', 'acknowledged']) WITH ORDINALITY steps (step, number) ORDER BY created_at;

INSERT INTO alert_moves (project_id, commit_id, alert_id, scenario, host_class, stage, metric, source, kind, ratio, fate, at)
SELECT project_id, commit_id, id, 'scenario-1', 'vm-2', 'nat', 'cpp', 'line', 'regression', 1.05, 'alert', created_at
FROM alerts;

INSERT INTO audit_log (at, who, action, project_id, subject)
SELECT now() - n * interval '10 minutes', 'somebody', 'alert.state', n % 10 + 1, 'alert ' || n FROM generate_series(1, 20000) n;
