// SPDX-License-Identifier: Apache-2.0
/** What entries of the audit log are about. */
const NUMBERED = /^(alert|backfill|bisect|job) (\d+)$/;

export interface Numbered {
  kind: "alert" | "backfill" | "bisect" | "job";
  id: string;
}

/** "job 3" as what has a page; null: it has none. */
export function numbered(subject: string): Numbered | null {
  const [, kind, id] = NUMBERED.exec(subject) ?? [];
  return kind && id ? { kind: kind as Numbered["kind"], id } : null;
}
