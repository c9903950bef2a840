// SPDX-License-Identifier: Apache-2.0
/** A word of the page and the sentence that explains it. */
export interface Explained {
  word: string;
  sentence: string;
}
