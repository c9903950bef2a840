// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { text } from "../../shared/logic/search";

/** `to`: the page to return to. */
export const signInSearch = v.object({ to: text });
