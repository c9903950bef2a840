// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { text } from "../../shared/logic/search";

/** Without a commit, the furthest measured one. */
export const modelsSearch = v.object({ commit: text });
