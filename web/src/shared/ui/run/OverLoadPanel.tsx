// SPDX-License-Identifier: Apache-2.0
/** Both builds of a sweep over the offered load: one figure as curves, the knees, and a table of the same. */
import { Select } from "@mantine/core";
import { Fragment } from "react";
import { CurvePlot } from "../../charts/CurvePlot";
import type { Curve, PlotMark } from "../../charts/curves";
import {
  bracketsText,
  drawn,
  figureOver,
  hasStage,
  hasStages,
  isKnown,
  kneeOf,
  kneeText,
  type LoadPointLike,
  type LoadRow,
  loadAxis,
  loadRows,
  loadsFile,
  loadsOf,
  moveText,
  OVER_LOAD,
  type OverLoad,
  rangeOf,
  type SweepLike,
  scaleOf,
  spreadText,
  stagesOf,
  valueOver,
} from "../../logic/charts/loadCurves";
import { percent } from "../../logic/run/rates";
import { changeWithInterval, columnUnit, inColumn } from "../../logic/text/format";
import { known, ratio } from "../../logic/text/units";
import { ScrollTable } from "../lists/ScrollTable";
import { Panel } from "../Panel";
import { SavedPanel } from "../save/SavedPanel";

export interface OverLoadSearch {
  over?: OverLoad | undefined;
  stage?: string | undefined;
}

interface Props {
  /** Of the files, without ending. */
  name: string;
  sweep: SweepLike;
  search: OverLoadSearch;
  /** Changes these parts of the address. */
  onChange: (part: OverLoadSearch) => void;
}

const TITLE = "Over the load";
const CHAIN = "";
const LOOKS: Record<string, Omit<Curve, "name" | "points">> = {
  base: { color: "var(--base-dot)", dash: "7 3", marker: "square" },
  head: { color: "var(--head-dot)", marker: "circle" },
};

export function OverLoadPanel({ name, sweep, search, onChange }: Props) {
  const over = search.over ?? "cpp";
  const stages = stagesOf(sweep);
  const stage = hasStages(over) && stages.includes(search.stage ?? "") ? search.stage : undefined;
  return (
    <SavedPanel
      title={TITLE}
      name={name}
      what="figures over the load"
      aside={null}
      rows={() => loadsFile(sweep)}
      pictured
    >
      <div className="over-load">
        <div className="controls">
          <Select
            label="Figure"
            size="xs"
            w={230}
            allowDeselect={false}
            data={OVER_LOAD.map((one) => ({
              value: one,
              label: isKnown(sweep, one) ? figureOver(one).word : `${figureOver(one).word}: not recorded`,
              disabled: !isKnown(sweep, one),
            }))}
            value={over}
            onChange={(value) => onChange({ over: value === "cpp" ? undefined : (value as OverLoad) })}
          />
          {hasStages(over) && (
            <Select
              label="Stage"
              size="xs"
              allowDeselect={false}
              data={[{ value: CHAIN, label: "chain" }, ...stages]}
              value={stage ?? CHAIN}
              onChange={(value) => onChange({ stage: value || undefined })}
            />
          )}
        </div>
        {isKnown(sweep, over, stage) ? (
          <Shown sweep={sweep} over={over} stage={stage} />
        ) : (
          <>
            <p className="soft">
              No trial of this run has {figureOver(over).word} {stage === undefined ? "" : `of ${stage} `}
              over the load.
            </p>
            <Knees sweep={sweep} stage={stage} />
          </>
        )}
      </div>
    </SavedPanel>
  );
}

interface ShownProps {
  sweep: SweepLike;
  over: OverLoad;
  stage: string | undefined;
}

function Shown({ sweep, over, stage }: ShownProps) {
  const { word, fromZero } = figureOver(over);
  const { unit, tick } = scaleOf(over, loadsOf(sweep));
  const x = loadAxis(loadsOf(sweep));
  const of = sweep.arms.map((arm) => ({ arm, ...drawn(arm, over, stage) }));
  const curves = of
    .filter(({ points }) => points.length > 0)
    .map(
      ({ arm, points, low, high }): Curve => ({
        ...(LOOKS[arm.arm] ?? { color: "var(--ink)" }),
        name: arm.arm,
        points,
        between: low.length > 1 ? { low, high } : undefined,
      }),
    );
  const what = `${word}${stage === undefined ? "" : ` of ${stage}`}`;
  return (
    <>
      <p className="soft">
        {what}, {unit}. Bands and parentheses: the middle half of the launches. {bracketsText(sweep)}
      </p>
      <CurvePlot
        label={`${what} of base and head over the offered load`}
        x={x}
        y={{ name: unit, ...rangeOf(of, fromZero), text: tick }}
        curves={curves}
        marks={kneeMarks(sweep, stage, x.high)}
      />
      <Knees sweep={sweep} stage={stage} />
      <LoadTable sweep={sweep} over={over} stage={stage} what={what} />
    </>
  );
}

function kneeMarks(sweep: SweepLike, stage: string | undefined, most: number): PlotMark[] {
  return sweep.arms.flatMap((arm) => {
    const knee = kneeOf(arm, stage);
    if (knee === null || knee.pps === null) return [];
    return {
      name: `knee of ${arm.arm}${knee.low === null ? "" : " with its interval"}`,
      x: knee.pps,
      between: knee.low === null ? undefined : ([knee.low, knee.high ?? most] as const),
      color: LOOKS[arm.arm]?.color ?? "var(--ink)",
      dash: arm.arm === "base" ? "2 3" : "8 3",
    };
  });
}

/** Where CPP leaves the level that it has at small loads, and how far that moved. */
function Knees({ sweep, stage }: { sweep: SweepLike; stage: string | undefined }) {
  const of = stage === undefined ? "CPP" : `CPP of ${stage}`;
  const arms = sweep.arms.filter((arm) => hasStage(arm, stage));
  return (
    <dl className="facts">
      {arms.map((arm) => (
        <Fragment key={arm.arm}>
          <dt>
            Knee of {of}, {arm.arm}
          </dt>
          <dd>{kneeText(kneeOf(arm, stage))}</dd>
        </Fragment>
      ))}
      {stage === undefined && sweep.knee && (
        <>
          <dt>Change of the knee</dt>
          <dd>{moveText(sweep.knee)}</dd>
        </>
      )}
    </dl>
  );
}

function LoadTable({ sweep, over, stage, what }: ShownProps & { what: string }) {
  const { text, unit } = scaleOf(over, loadsOf(sweep));
  const rows = loadRows(sweep, over, stage);
  const load = columnUnit(
    rows.map((row) => row.pps),
    "packets/s",
  );
  const changes = rows.some((row) => row.change !== undefined);
  return (
    <ScrollTable label={`${what} by load`}>
      <thead>
        <tr>
          <th className="left">Load, {load.unit}</th>
          <th>Of base's NDR</th>
          <th>Base, {unit}</th>
          <th>Head, {unit}</th>
          {changes && <th>Change</th>}
          <th>Valid trials</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.pps}>
            <th scope="row">{inColumn(row.pps, load)}</th>
            <td>{percent(row.share)}</td>
            {[row.base, row.head].map((point, side) => {
              const of = spreadText(point ? valueOver(point, over, stage) : null, text);
              return (
                <td key={side === 0 ? "base" : "head"}>
                  {of.value} {of.spread && <span className="soft">({of.spread})</span>}
                </td>
              );
            })}
            {changes && <td>{changeText(row.change)}</td>}
            <td>
              {both(row, (one) => one.trials)} of {both(row, (one) => one.of)}
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

const both = ({ base, head }: LoadRow, of: (point: LoadPointLike) => number): number =>
  [base, head].reduce((sum, point) => sum + (point === undefined ? 0 : of(point)), 0);

const changeText = (of: LoadRow["change"]): string =>
  changeWithInterval(known(of?.ratio, ratio), known(of?.low, ratio), known(of?.high, ratio));

/** A run of rates without a sweep. */
export function NoSweep() {
  return (
    <Panel title={TITLE}>
      <p className="soft">
        This run has no sweep of loads. For cycles per packet, CUR, batches and loss over the load, and the
        knee of each build, list five or more shares of base's NDR in nalm.toml:
      </p>
      <pre className="command">{"[rates]\nsweep = [0.1, 0.25, 0.5, 0.75, 0.9, 1.0]"}</pre>
    </Panel>
  );
}
