-- SPDX-License-Identifier: Apache-2.0
-- Ten million samples: 1,000 commits of `bench` in 40 scenarios of 50 series, 5 launches each; and 50 small projects.
INSERT INTO projects (id, name, repository, default_branch, webhook_secret, created_at)
SELECT p, CASE WHEN p = 1 THEN 'bench' ELSE 'small-' || p END, '/srv/nf.git', 'main', '', now()
FROM generate_series(1, 51) p;

INSERT INTO hosts (id, name, host_class, first_seen_at) VALUES (1, 'bench-1', 'vm-2', now());

INSERT INTO commits (id, project_id, sha, parent_sha, position, listed, subject, message, author, committed_at)
SELECT c, CASE WHEN c <= 1000 THEN 1 ELSE 2 + (c - 1001) / 20 END, encode(sha256(c::text::bytea), 'hex'),
       encode(sha256((c - 1)::text::bytea), 'hex'), c, true, 'nat: a change', 'nat: a change', 'someone', now()
FROM generate_series(1, 2000) c;

INSERT INTO scenarios (id, project_id, name, model, lcores, traffic, load, stages)
SELECT s, CASE WHEN s <= 40 THEN 1 ELSE s - 39 END, 'scenario-' || s, 'rtc', 1, 'mixed.pcap', 'closed',
       '["rx", "nat", "dpi", "acl", "lb", "l3fwd", "ring", "tx", "dispatch"]'
FROM generate_series(1, 90) s;

INSERT INTO series (id, scenario_id, metric, host_class, stage, source)
SELECT row_number() OVER (), s, metric, 'vm-2', stage, 'tsc'
FROM generate_series(1, 90) s,
     unnest(ARRAY['cpp', 'ipp', 'eipc', 'cycles_per_visit', 'visit_rate']) metric,
     unnest(ARRAY['chain', 'rx', 'nat', 'dpi', 'acl', 'lb', 'l3fwd', 'ring', 'tx', 'dispatch']) stage;

INSERT INTO jobs (id, project_id, commit_id, base_sha, head_sha, reason, state, attempts, fence, created_at, updated_at)
SELECT id, project_id, id, parent_sha, sha, 'push', 'done', 1, 1, now(), now() FROM commits;

INSERT INTO runs (id, run_id, project_id, scenario_id, host_id, commit_id, job_id, base_sha, head_sha, host_class,
                  status, digest, started_at, finished_at, received_at)
SELECT row_number() OVER (ORDER BY c.position, s.id), md5(c.id || ' ' || s.id), c.project_id, s.id, 1, c.id, c.id,
       c.parent_sha, c.sha, 'vm-2', 'measured', c.sha, now(), now(), now() + c.position * interval '1 second'
FROM commits c JOIN scenarios s ON s.project_id = c.project_id;

INSERT INTO verdicts (run_id, outcome, display, summary, ratio_cpp, low, high, features_added, features_removed,
                      unchanged, document)
SELECT id, 'same', 'same', 'cycles per packet as before', 1, 0.99, 1.01, '[]', '[]', false,
       json_build_object('summary', repeat('a verdict has its stages and functions ', 100))
FROM runs;

INSERT INTO series_values (series_id, run_id, value, low, high, launches)
SELECT s.id, r.id, 300 + random(), 299, 302,
       ARRAY[300 + random(), 300 + random(), 300 + random(), 300 + random(), 300 + random()]
FROM runs r JOIN series s ON s.scenario_id = r.scenario_id
ORDER BY r.id;
