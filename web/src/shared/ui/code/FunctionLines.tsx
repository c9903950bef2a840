// SPDX-License-Identifier: Apache-2.0
import type { FunctionCost, FunctionCosts, Sourced } from "../../api/types";
import { MISSING, significant } from "../../logic/text/format";
import { SourceLink } from "../links/SourceLink";

/** Lines of one function, what they cost and where they are written, each side by its own commit's numbering. */
export function FunctionLines({ of, one }: { of: Sourced; one: FunctionCosts }) {
  return (
    <div className="line-sides">
      <Side title="Base" of={of} sha={of.base_sha} cost={one.base} name={one.name} />
      <Side title="Head" of={of} sha={of.head_sha} cost={one.head} name={one.name} />
    </div>
  );
}

interface Props {
  title: string;
  of: Sourced;
  sha: string | null;
  cost: FunctionCost | null;
  name: string;
}

function Side({ title, of, sha, cost, name }: Props) {
  const lines = cost?.lines ?? [];
  if (lines.length === 0)
    return <p className="soft">{`${title}: no line of ${name} was counted or sampled.`}</p>;
  return (
    <table className="table" aria-label={`Lines of ${name}, ${title.toLowerCase()}`}>
      <thead>
        <tr>
          <th className="left">
            {title} at <span className="mono">{sha?.slice(0, 7)}</span>
          </th>
          <th>Instructions</th>
          <th>Cycles</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={`${line.file}:${line.line}`}>
            <th scope="row">
              <SourceLink of={of} sha={sha} file={line.file} line={line.line} />
            </th>
            <td>{line.ipp == null ? MISSING : significant(line.ipp, 3)}</td>
            <td>{line.cpp == null ? MISSING : significant(line.cpp, 3)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
