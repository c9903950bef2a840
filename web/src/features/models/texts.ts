// SPDX-License-Identifier: Apache-2.0
import { significant, THIN } from "../../shared/logic/text/format";

const SMALL = 1e-3;
/** Below this a loss is a rounding error of the model. */
const NONE = 1e-12;

/** A share that is lost: "nothing", "1 in 100 000", "2.10 %". */
export function lossText(loss: number): string {
  if (loss < NONE) return "nothing";
  if (loss < SMALL) return `1 in ${significant(1 / loss, 2)}`;
  return `${(100 * loss).toFixed(2)}${THIN}%`;
}
