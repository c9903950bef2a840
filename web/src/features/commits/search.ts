// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { DISPLAYS } from "../../shared/logic/run/verdict";
import { listOf, text } from "../../shared/logic/search";

export const commitsSearch = v.object({ outcome: listOf(DISPLAYS), scenario: text });
