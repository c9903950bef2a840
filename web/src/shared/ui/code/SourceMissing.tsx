// SPDX-License-Identifier: Apache-2.0
/** Why there is no text, and what to do. */
import type { FunctionSource } from "../../api/types";
import type { LineCost } from "../../logic/code/source";
import { figure, signed } from "../../logic/text/format";

type State = FunctionSource["base_text"];

const WHY: Record<State, string> = {
  kept: "The report does not contain the source of this function. None of its lines is in the repository, or functions with larger changes filled the available space.",
  not_recorded:
    "The report contains no source text. Its agent is too old, or the build has no debug information. Build with -g, update the agent and measure again.",
  withheld:
    "The nalm.toml of the repository excludes source text from reports (source_in_reports = false). Run nalm explain in the repository to see it.",
};

/** For a function none of whose files has text. */
export function NoText({ data: { base_text, head_text } }: { data: FunctionSource }) {
  if (base_text === head_text) return <p className="soft">{WHY[head_text]}</p>;
  return (
    <>
      <p className="soft">Base: {WHY[base_text]}</p>
      <p className="soft">Head: {WHY[head_text]}</p>
    </>
  );
}

/** Files that cost something and have no text, and a side that has none beside one that has. */
export function WithoutText({ data, cost }: { data: FunctionSource; cost: LineCost }) {
  const { base_text, head_text, files } = data;
  const others = files.filter(({ rows }) => rows.length === 0);
  return (
    <>
      {base_text !== "kept" && <p className="soft">Base: {WHY[base_text]}</p>}
      {head_text !== "kept" && <p className="soft">Head: {WHY[head_text]}</p>}
      {others.length > 0 && (
        <>
          <p className="soft">
            Inlined from files whose text is not in the report (outside the repository, or beyond its space):
          </p>
          <ul className="source-others">
            {others.map((one) => {
              const [base, head] =
                cost === "ipp" ? [one.base_ipp, one.head_ipp] : [one.base_cpp, one.head_cpp];
              return (
                <li key={one.file}>
                  <span className="mono">{one.file}</span> {figure(base, "", 3)} → {figure(head, "", 3)} (
                  {signed((head ?? 0) - (base ?? 0), 2)}) {UNIT[cost]}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </>
  );
}

export const UNIT: Record<LineCost, string> = { ipp: "instructions/packet", cpp: "cycles/packet" };
