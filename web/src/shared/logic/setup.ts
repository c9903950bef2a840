// SPDX-License-Identifier: Apache-2.0
/** The way from an empty server to the first verdict: what is done of it, and the commands of each step. */

export interface SetupFacts {
  /** Bench hosts that can take work; null: not known to the one who asks. */
  hostsOnline: number | null;
  /** Deliveries of the forge; null: not known to the one who asks. */
  deliveries: number | null;
  commits: number;
  judged: boolean;
  /** What the server knows to keep commits from being measured. */
  problems: readonly { kind: string }[];
}

export const SETUP_STEPS = ["describe", "host", "webhook", "push", "verdict"] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];
export type Done = "yes" | "no" | "unknown";

const known = (count: number | null): Done => (count === null ? "unknown" : count > 0 ? "yes" : "no");

/** What the server has seen. What came later shows that what it needs was done before. */
export function setupDone(facts: SetupFacts): Record<SetupStep, Done> {
  const { hostsOnline, deliveries, commits, judged } = facts;
  const wrong = (kind: string): boolean => facts.problems.some((one) => one.kind === kind);
  return {
    describe: wrong("configuration") ? "no" : judged ? "yes" : "unknown",
    host: wrong("hosts") ? "no" : judged ? "yes" : known(hostsOnline),
    webhook: known(deliveries),
    push: commits > 0 ? "yes" : "no",
    verdict: judged ? "yes" : "no",
  };
}

/** The first step that is open and not past: where one is to look next. */
export const nextStep = (done: Record<SetupStep, Done>): SetupStep | null =>
  SETUP_STEPS.find((step) => done[step] === "no") ?? null;

/** A repository that is a folder of some host, and no address that git can clone from elsewhere. */
export const isPath = (repository: string): boolean => /^([/.~]|file:)/.test(repository.trim());

/** The rule of names, as the server has it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:+@-]*$/;

/** Why a project cannot have the name; null: it can. */
export function nameFault(name: string): string | null {
  if (name === "" || NAME.test(name)) return null;
  return /^[A-Za-z0-9]/.test(name)
    ? "Only letters, digits and . _ : + @ - are allowed."
    : "It must begin with a letter or a digit.";
}

/** A word of a command line, quoted for a shell where it must be. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** On the server's host: only there can a path be trusted to be meant. */
export const addCommand = (name: string, repository: string): string =>
  `nalm-server project add ${name === "" || nameFault(name) ? "NAME" : name} --repository ${quoted(repository.trim())}`;

/** With a one-time token, through a file, so that it is in no list of processes. */
export const registerCommands = (origin: string, token: string): string =>
  [
    `echo ${token} > invitation`,
    `nalm agent register --server ${origin} --token-file invitation`,
    "nalm agent",
  ].join("\n");

export const submitCommands = (origin: string): string =>
  ["nalm check --json run.json", `nalm submit run.json --server ${origin} --token-file upload.token`].join(
    "\n",
  );
