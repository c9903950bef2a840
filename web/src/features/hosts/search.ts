// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { text } from "../../shared/logic/search";

/** `shown`: scenarios of the noise, `project: scenario` joined by commas; without it all. */
export const hostSearch = v.object({ shown: text });
