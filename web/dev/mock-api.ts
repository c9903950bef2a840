// SPDX-License-Identifier: Apache-2.0
/** Answers /api/v1 from made-up data, so that pages can be worked on without a server: `npm run dev:mock`. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import type {
  Commit,
  CommitPage,
  Metric,
  Overview,
  Project,
  Revision,
  RunCounts,
  RunReport,
  SignedIn,
} from "../src/shared/api/types";
import { codeOf, runCode, sourceOf } from "./mock/code.ts";
import { COUNT, commits, PENDING, points, runOf, shaOf } from "./mock/history.ts";
import { comparison, HOST, runDetail, runReport } from "./mock/run.ts";

const NAME = "nalm-reference-nf";
const NOBODY: SignedIn = {
  name: null,
  administrator: false,
  roles: [],
  by_link: false,
  new_server: false,
  csrf: null,
};
const STAGES = ["rx", "nat", "dpi", "l3fwd", "tx"];
const catalogue = (): Metric[] =>
  JSON.parse(readFileSync(new URL("./mock/metrics.json", import.meta.url), "utf8")) as Metric[];

const project = (name: string, full: boolean): Project => ({
  name,
  repository: `/srv/git/${name}.git`,
  default_branch: "main",
  public: true,
  reference: null,
  commits: full ? COUNT + PENDING.length : 0,
  jobs_open: full ? 2 : 0,
  alerts_open: 0,
  last_verdict: full ? (commits().find((commit) => commit.verdicts.length > 0)?.verdicts[0] ?? null) : null,
  repository_error: null,
  problems: [],
  last_activity_at: full ? new Date(Date.now() - 90_000).toISOString() : null,
});

const WEEK_MS = 7 * 86_400_000;
const overview = (): Overview => ({
  at: new Date().toISOString(),
  since: new Date(Date.now() - WEEK_MS).toISOString(),
  alerts: [],
  alerts_open: 0,
  changes: [],
  changed: 0,
  judged: [{ project: NAME, display: "same", runs: COUNT }],
  trends: [],
  jobs_waiting: 1,
});

/** One page with everything that has the text and one of the outcomes. */
function found(all: readonly Commit[], query: URLSearchParams): CommitPage {
  const text = query.get("text")?.toLowerCase() ?? "";
  const requested = query.getAll("outcome");
  const counted = (commit: Commit): Record<string, number> =>
    Object.fromEntries(commit.verdicts.map((one) => [one.display, 1]));
  const matching = all.filter((one) =>
    `${one.subject} ${one.author} ${one.sha}`.toLowerCase().includes(text),
  );
  const outcomes: Record<string, number> = {};
  for (const commit of matching)
    for (const display of Object.keys(counted(commit))) outcomes[display] = (outcomes[display] ?? 0) + 1;
  const commits = matching
    .filter(
      (one) => requested.length === 0 || one.verdicts.some((verdict) => requested.includes(verdict.display)),
    )
    .map((one) => ({ ...one, outcomes: counted(one) }));
  return { commits, next: null, outcomes };
}

const countsOf = ({ instructions, arms, host, rounds = [] }: RunReport): RunCounts => ({
  instructions: instructions ?? [],
  arms,
  host_class: host.host_class,
  rounds: rounds.length,
  rounds_set_aside: rounds.flatMap(({ launch, turn, arm, set_aside }) =>
    set_aside ? [{ launch, turn, arm, why: set_aside }] : [],
  ),
});

const indexOf = (sha: string | null): number =>
  Array.from({ length: COUNT }, (_, index) => index).findIndex(
    (index) => sha && shaOf(index).startsWith(sha),
  );

const run = (id: string): number =>
  Array.from({ length: COUNT }, (_, n) => n).findIndex((n) => runOf(n) === id);

/** The body of an answer; null for 404. A project named "new" has no commits yet. */
function answer(path: string, query: URLSearchParams): unknown {
  const [room, name = "", part, key, leaf] = path.split("/").map(decodeURIComponent);
  if (room === "session") return NOBODY;
  if (room === "metrics-catalogue") return catalogue();
  if (room === "overview") return overview();
  if (room === "runs") {
    const index = run(name);
    if (index < 1) return null;
    if (part === "code") return runCode(index);
    if (part === "counts") return countsOf(runReport(index));
    if (part === "source") return sourceOf(index - 1, index, query.get("function"));
    return part === "report" ? runReport(index) : runDetail(index);
  }
  if (room !== "projects") return null;
  if (name === "") return [project(NAME, true), project("new", false)];
  if (name !== NAME && name !== "new") return null;
  const full = name === NAME;
  if (part === undefined) return project(name, full);
  if (part === "commits" && key === "search") return found(full ? commits() : [], query);
  if (part === "commits" && key === undefined) return full ? commits() : [];
  if (part === "commits") {
    const commit = commits().find((item) => item.sha.startsWith(key ?? "-"));
    return commit ? { ...commit, message: commit.subject, base_sha: commit.parent_sha, runs: [] } : null;
  }
  if (part === "revisions") return full ? commits().map(revision) : [];
  if (part === "compare") {
    const [base, head] = [indexOf(query.get("base")), indexOf(query.get("head"))];
    return base < 0 || head < 0 ? null : compared(base, head, key, query.get("function"));
  }
  if (part === "alerts" || part === "mutes") return [];
  if (part === "lines") return lines(query.get("metric") ?? "cpp");
  if (part === "branches") return [];
  if (part === "metrics") return catalogue();
  if (part === "scenarios" && leaf === "functions") return [];
  if (part === "scenarios" && leaf === "history") return history(query.get("metric") ?? "cpp");
  if (part === "scenarios") return full ? [scenario()] : [];
  return null;
}

function compared(base: number, head: number, leaf: string | undefined, name: string | null): unknown {
  if (leaf === "code") return codeOf(base, head);
  if (leaf === "source") return sourceOf(base, head, name);
  return leaf === undefined ? comparison(base, head) : null;
}

const revision = (commit: Commit): Revision => ({
  kind: "commit",
  name: commit.short_sha,
  sha: commit.sha,
  subject: commit.subject,
  author: commit.author,
  committed_at: commit.committed_at,
  measured: commit.verdicts.length > 0,
});

const history = (metric: string): unknown => ({
  metric: catalogue().find((item) => item.name === metric),
  scenario: "sfc_a",
  host_class: HOST.host_class,
  host_classes: [HOST.host_class],
  stages: ["chain", ...STAGES],
  linked: ["chain", ...STAGES],
  environments: [],
  points: points(metric),
});

function lines(metric: string): unknown {
  const shown = points(metric);
  const column = (stage: string, edge: "value" | "low" | "high") =>
    shown.map((point) => point.values[stage]?.[edge] ?? null);
  const stages = ["chain", ...STAGES].map((stage) => ({
    stage,
    function: null,
    value: column(stage, "value"),
    low: column(stage, "low"),
    high: column(stage, "high"),
    linked: true,
    measured: column(stage, "value"),
    measured_low: column(stage, "low"),
    measured_high: column(stage, "high"),
    same_features: null,
  }));
  const line = {
    scenario: "sfc_a",
    branch: null,
    host_class: HOST.host_class,
    at: shown.map((_, place) => place),
    run_id: shown.map((point) => point.run_id),
    base_sha: shown.map((point) => point.base_sha),
    display: shown.map((point) => point.display),
    stages,
    environments: [],
    missing: null,
    change_points: [],
    segments: [],
  };
  return {
    metric: catalogue().find((item) => item.name === metric),
    commits: {
      sha: shown.map((point) => point.sha),
      subject: shown.map((point) => point.subject),
      committed_at: shown.map((point) => point.committed_at),
    },
    lines: [line],
    releases: [],
  };
}

const scenario = () => ({
  name: "sfc_a",
  stages: STAGES,
  model: "rtc",
  lcores: 1,
  traffic: "traffic/mixed.pcap",
  load: "closed",
  host_classes: [HOST.host_class],
  runs: COUNT - 1,
});

function respond(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const found = answer(url.pathname.replace(/^\//, ""), url.searchParams);
  response.setHeader("content-type", "application/json");
  response.statusCode = found === null ? 404 : 200;
  const missing = {
    error: { name: "not_found", message: `There is nothing at ${url.pathname}.`, request_id: "mock" },
  };
  response.end(JSON.stringify(found ?? missing));
}

export const mockApi = (): Plugin => ({
  name: "nalm-mock-api",
  configureServer: (server) => {
    server.middlewares.use("/api/v1", respond);
  },
  configurePreviewServer: (server) => {
    server.middlewares.use("/api/v1", respond);
  },
});
