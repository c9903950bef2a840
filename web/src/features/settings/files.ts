// SPDX-License-Identifier: Apache-2.0
/** Tables of settings as files: who, what, when, and no secret. */
import { type Row, table } from "../../shared/logic/text/csv";

interface AuditLike {
  at: string;
  who: string;
  action: string;
  project?: string | null;
  subject: string;
  detail?: string | null;
  request_id?: string | null;
}
export const auditFile = (entries: readonly AuditLike[]): Row[] =>
  table(entries, {
    at: (one) => one.at,
    who: (one) => one.who,
    action: (one) => one.action,
    project: (one) => one.project,
    subject: (one) => one.subject,
    detail: (one) => one.detail,
    request_id: (one) => one.request_id,
  });

interface MemberLike {
  account: string;
  role: string;
  since: string;
}
export const peopleFile = (people: readonly MemberLike[]): Row[] =>
  table(people, {
    account: (one) => one.account,
    role: (one) => one.role,
    since: (one) => one.since,
  });

interface AccountLike {
  name: string;
  administrator: boolean;
  disabled: boolean;
  created_at: string;
  signed_in_at: string | null;
}
export const accountsFile = (accounts: readonly AccountLike[]): Row[] =>
  table(accounts, {
    account: (one) => one.name,
    administrator: (one) => String(one.administrator),
    shut_out: (one) => String(one.disabled),
    created_at: (one) => one.created_at,
    signed_in_at: (one) => one.signed_in_at,
  });

interface TokenLike {
  name: string;
  scope: string;
  owner: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}
/** Revoked ones too; the tokens themselves are nowhere. */
export const tokensFile = (tokens: readonly TokenLike[]): Row[] =>
  table(tokens, {
    name: (one) => one.name,
    scope: (one) => one.scope,
    owner: (one) => one.owner,
    created_at: (one) => one.created_at,
    last_used_at: (one) => one.last_used_at,
    expires_at: (one) => one.expires_at,
    revoked_at: (one) => one.revoked_at,
  });

interface DeliveryLike {
  received_at: string;
  forge: string;
  event: string;
  delivery: string;
  status: string;
  reason: string;
  job_ids: readonly number[];
  attempts: number;
  worked_at: string | null;
}
export const deliveriesFile = (deliveries: readonly DeliveryLike[]): Row[] =>
  table(deliveries, {
    received_at: (one) => one.received_at,
    forge: (one) => one.forge,
    event: (one) => one.event,
    delivery: (one) => one.delivery,
    status: (one) => one.status,
    reason: (one) => one.reason,
    jobs: (one) => one.job_ids.join(" "),
    attempts: (one) => one.attempts,
    worked_at: (one) => one.worked_at,
  });

interface NotificationLike {
  created_at: string;
  integration: string;
  kind: string;
  subject: string;
  state: string;
  tries: number;
  last_error: string | null;
}
export const notificationsFile = (reported: readonly NotificationLike[]): Row[] =>
  table(reported, {
    created_at: (one) => one.created_at,
    to: (one) => one.integration,
    kind: (one) => one.kind,
    subject: (one) => one.subject,
    state: (one) => one.state,
    tries: (one) => one.tries,
    last_error: (one) => one.last_error,
  });

interface ExpectationLike {
  sha: string;
  scenario: string;
  metric: string;
  bound: number | null;
  reason: string;
  who: string;
  source: string;
  created_at: string;
}
export const expectationsFile = (declared: readonly ExpectationLike[]): Row[] =>
  table(declared, {
    commit: (one) => one.sha,
    scenario: (one) => one.scenario,
    metric: (one) => one.metric,
    "up_to [ratio]": (one) => one.bound,
    reason: (one) => one.reason,
    who: (one) => one.who,
    source: (one) => one.source,
    created_at: (one) => one.created_at,
  });

interface FloorLike {
  scenario: string;
  stage: string;
  metric: string;
  host_class: string;
  /** ln of the ratio. */
  left: number;
  size: number;
  who: string;
  set_at: string;
  alert_id: number | null;
}
export const floorsFile = (floors: readonly FloorLike[]): Row[] =>
  table(floors, {
    scenario: (one) => one.scenario,
    stage: (one) => one.stage,
    metric: (one) => one.metric,
    host_class: (one) => one.host_class,
    "moves_up_to [share]": (one) => Math.expm1(one.left),
    "when_taught [share]": (one) => Math.expm1(one.size),
    who: (one) => one.who,
    set_at: (one) => one.set_at,
    alert: (one) => one.alert_id,
  });
