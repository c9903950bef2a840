// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { oneOf } from "../../shared/logic/search";

/** Days that the figures cover. */
export const SPANS = ["30", "90", "365"] as const;

export const qualitySearch = v.object({ days: oneOf(SPANS) });
