// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { oneOf, text } from "../../shared/logic/search";

export const SETTINGS_PARTS = [
  "project",
  "repository",
  "notifications",
  "judgement",
  "access",
  "storage",
  "audit",
] as const;
export type SettingsPart = (typeof SETTINGS_PARTS)[number];

export const SERVER_PARTS = ["people", "agents", "audit"] as const;
export type ServerPart = (typeof SERVER_PARTS)[number];

/** Names that parts had in older addresses. */
const RENAMED = { telling: "notifications", judging: "judgement" };

/** `action`: `noun.verb`, or a noun. */
const audit = { who: text, action: text };

/** Without a part, the first one. */
export const settingsSearch = v.object({ part: oneOf(SETTINGS_PARTS, RENAMED), ...audit });
export const serverSearch = v.object({ part: oneOf(SERVER_PARTS), ...audit });
