// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { DISPLAYS } from "../../shared/logic/run/verdict";
import { listOf, matching, text } from "../../shared/logic/search";

export const commitsSearch = v.object({ outcome: listOf(DISPLAYS), scenario: text, q: text });

/** The week that is opened: `2026-W47`. */
export const weeksSearch = v.object({ week: matching(/^\d{4}-W\d\d$/) });
