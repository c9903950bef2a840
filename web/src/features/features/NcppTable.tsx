// SPDX-License-Identifier: Apache-2.0

import type { By } from "../../shared/api/features";
import type { NcppLine, NcppPoint } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { type Axis, axisOf } from "../../shared/logic/charts/axis";
import { figure, MISSING } from "../../shared/logic/text/format";
import { MetricName } from "../../shared/ui/Help";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { AS_MEASURED, LEVEL, lineName, someLinked } from "./ncpp";
import { setText } from "./prices";

/** The axis is at least so wide: noise is not blown up. */
const LEAST_SPAN = 0.05;

interface Props {
  project: string;
  line: NcppLine;
  by: By;
}

/** NCPP of each version, newest first; branches by name. */
export function NcppTable({ project, line, by }: Props) {
  const { points } = line;
  if (points.length === 0) return <p className="soft">No figure yet.</p>;
  const axis = axisOf(
    points.map(({ ncpp, low, high }) => ({ value: ncpp, low, high })),
    LEVEL,
    LEAST_SPAN,
  );
  const linked = someLinked(points);
  const ordered = by === "branch" ? points : [...points].reverse();
  return (
    <ScrollTable label={`NCPP of ${lineName(line)}`}>
      <thead>
        <tr>
          <th className="left">{by === "commit" ? "Commit" : by === "release" ? "Release" : "Branch"}</th>
          <th>
            <MetricName name="ncpp" />
          </th>
          <th className="left">Against 1</th>
          <th>
            <MetricName name="cpp" />
          </th>
          <th>Expected</th>
          <th className="left">Features</th>
        </tr>
      </thead>
      <tbody>
        {ordered.map((point) => (
          <Row
            key={`${point.name}${point.commit.sha}`}
            project={project}
            point={point}
            axis={axis}
            apart={linked && !point.linked}
            known={line.missing}
          />
        ))}
      </tbody>
    </ScrollTable>
  );
}

interface RowProps {
  project: string;
  point: NcppPoint;
  axis: Axis;
  /** Of a separate run, among linked ones. */
  apart: boolean;
  /** Said of the whole table already. */
  known: string | null | undefined;
}

function Row({ project, point, axis, apart, known }: RowProps) {
  const { ncpp, low, high, extended = [] } = point;
  return (
    <tr>
      <th scope="row">
        {point.name && `${point.name} `}
        <CommitLink project={project} commit={point.commit} short={point.name !== null} />
      </th>
      <td>
        {figure(ncpp)}
        {low != null && high != null && (
          <span className="under">
            {figure(low)} to {figure(high)}
          </span>
        )}
      </td>
      <td className="left">
        {point.missing ? (
          <span className="soft wrap-text">{point.missing === known ? MISSING : point.missing}</span>
        ) : (
          <IntervalBar of={{ value: ncpp, low, high }} axis={axis} dot />
        )}
      </td>
      <td>
        {figure(point.cpp)}
        {apart && <span className="under">{AS_MEASURED}</span>}
      </td>
      <td>{figure(point.expected_cycles)}</td>
      <td className="left">
        {point.features ? setText(point.features) : MISSING}
        {extended.length > 0 && (
          <span className="under">{extended.join(", ")}: at the price it came with</span>
        )}
      </td>
    </tr>
  );
}
