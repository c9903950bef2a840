// SPDX-License-Identifier: Apache-2.0
/** What is asked of each kind of integration, and what is sent of the answers. */
import { lines } from "../../../shared/logic/settings";

export const KINDS = ["github", "github_app", "gitlab", "gitea", "email", "chat", "webhook"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_WORDS: Record<Kind, string> = {
  github: "GitHub, with a token",
  github_app: "GitHub, as an App",
  gitlab: "GitLab",
  gitea: "Gitea, Forgejo",
  email: "E-mail",
  chat: "Chat (Slack, Mattermost)",
  webhook: "Webhook",
};

export const EVENTS = ["regressed", "improved", "recovered", "broken", "inconclusive", "failed"] as const;
export type IntegrationEvent = (typeof EVENTS)[number];
export const USUAL_EVENTS: readonly IntegrationEvent[] = ["regressed", "recovered", "broken", "failed"];

type Key =
  | "url"
  | "repository"
  | "token"
  | "app_id"
  | "installation_id"
  | "private_key"
  | "recipients"
  | "chat_url";

export interface Field {
  key: Key;
  label: string;
  form: "line" | "secret" | "number" | "lines" | "pem";
  hint?: string;
}

const REPOSITORY: Field = { key: "repository", label: "Repository", form: "line", hint: "owner/name" };
const api = (hint: string): Field => ({ key: "url", label: "Address of the API", form: "line", hint });
const TOKEN: Field = { key: "token", label: "Access token", form: "secret" };

export const FIELDS: Record<Kind, readonly Field[]> = {
  github: [api("https://api.github.com"), REPOSITORY, TOKEN],
  github_app: [
    api("https://api.github.com"),
    REPOSITORY,
    { key: "app_id", label: "App ID", form: "number" },
    { key: "installation_id", label: "Installation ID", form: "number" },
    { key: "private_key", label: "Private key", form: "pem", hint: "-----BEGIN RSA PRIVATE KEY-----" },
  ],
  gitlab: [api("https://gitlab.com"), REPOSITORY, TOKEN],
  gitea: [api("https://gitea.example.org"), REPOSITORY, TOKEN],
  email: [{ key: "recipients", label: "Recipients, one a line", form: "lines", hint: "nf-team@example.org" }],
  chat: [{ key: "chat_url", label: "Address of the incoming webhook", form: "secret" }],
  webhook: [{ key: "url", label: "Address", form: "line", hint: "https://ci.example.org/nalm" }],
};

/** A forge is told of every result; people and programs choose. */
export const choosesEvents = (kind: Kind): boolean => ["email", "chat", "webhook"].includes(kind);

export type Values = Partial<Record<Key, string>>;

/** Where a kind has one usual address, it is filled in. */
export const usualValues = (kind: Kind): Values =>
  kind === "github" || kind === "github_app"
    ? { url: "https://api.github.com" }
    : kind === "gitlab"
      ? { url: "https://gitlab.com" }
      : {};

/** The body of the request that adds one: all branches and scenarios, statuses and comments. */
export function integrationOf(kind: Kind, name: string, values: Values, events: readonly IntegrationEvent[]) {
  const text = (key: Key): string => values[key]?.trim() ?? "";
  const usual = { name, enabled: true };
  const forge = { url: text("url"), repository: text("repository"), statuses: true, comments: true };
  const reported = { events: [...events], branches: ["*"], scenarios: ["*"] };
  switch (kind) {
    case "github":
    case "gitlab":
    case "gitea":
      return { kind, ...usual, ...forge, token: text("token") };
    case "github_app":
      return {
        kind,
        ...usual,
        ...forge,
        app_id: Number(text("app_id")),
        installation_id: Number(text("installation_id")),
        private_key: text("private_key"),
      };
    case "email":
      return { kind, ...usual, ...reported, recipients: lines(text("recipients")) ?? [] };
    case "chat":
      return { kind, ...usual, ...reported, url: text("chat_url") };
    case "webhook":
      return { kind, ...usual, ...reported, url: text("url") };
  }
}
