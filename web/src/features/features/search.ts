// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { BYS } from "../../shared/api/features";
import { oneOf, text, view } from "../../shared/logic/search";

export const featuresSearch = v.object({
  /** Whose history is shown. */
  feature: text,
  by: oneOf(BYS),
  /** The line of NCPP that is shown. */
  scenario: text,
  host_class: text,
  view,
});
export type FeaturesSearch = v.InferInput<typeof featuresSearch>;
