// SPDX-License-Identifier: Apache-2.0
/** What the values of commits follow from, the same on every page that has them. */
const NOTES = {
  linked:
    "Values follow from comparisons side by side, in the unit of the newest host and compiler: drift and changes of hosts cancel. A commit whose own run has no value has one if it was compared in other runs. Bands: 95\u202f% intervals of the difference to the newest commit.",
  ncpp: "Values follow from comparisons side by side that lead from the reference to each commit: drift and changes of hosts cancel. A commit to which none leads is as measured, by a separate run. Bands: 95\u202f% intervals of the difference to the reference, with those of the cost model.",
  same_features:
    "As shipped, without the prices of features added since the first commit shown. Bands: 95\u202f% intervals of the difference to the newest commit.",
  measured:
    "Values of separate runs: they drift with the host, so a line may fall where a verdict says regressed. Bands: intervals of the rounds.",
  unlinked:
    "No comparison links these commits yet, so values are those of separate runs: they drift with the host. Bands: intervals of the rounds.",
};

export function ValueNote({ of }: { of: keyof typeof NOTES }) {
  return <span className="soft">{NOTES[of]}</span>;
}
