// SPDX-License-Identifier: Apache-2.0
/** A run under load: distributions of both sides, losses by cause, searches, invalid trials, curves of a sweep, the course of a soak. */
import { useQuery } from "@tanstack/react-query";
import { runRatesQuery } from "../../api/compare";
import type { RunRates } from "../../api/types";
import { CurvePlot } from "../../charts/CurvePlot";
import type { Curve, Point } from "../../charts/curves";
import {
  curveOf,
  type DistributionLike,
  lossRows,
  MOST_NINES,
  ninesText,
  timeText,
  valueAt,
} from "../../logic/run/distribution";
import { lossText } from "../../logic/run/rates";
import { fileName } from "../../logic/text/csv";
import { bytes, figure } from "../../logic/text/format";
import { Panel } from "../Panel";
import { Failed, Loading } from "../States";
import { NoSweep, OverLoadPanel, type OverLoadSearch } from "./OverLoadPanel";

type ArmRates = RunRates["arms"][number];

const SHOWN = [50, 90, 99, 99.9, 100];
const COLORS = { base: "var(--base-dot)", head: "var(--head-dot)" } as const;

interface Props {
  runId: string;
  search: OverLoadSearch;
  onChange: (search: OverLoadSearch) => void;
}

export function RatesPanels({ runId, search, onChange }: Props) {
  const { data, error, refetch } = useQuery(runRatesQuery(runId));
  if (data === undefined) return error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={4} />;
  const base = data.arms.find((one) => one.arm === "base");
  const head = data.arms.find((one) => one.arm === "head");
  if (base === undefined || head === undefined) return null;
  return (
    <>
      {data.load && (
        <>
          <Times title="Latency" load={data.load.pps} base={base.latency} head={head.latency} />
          <Times title="Jitter" load={data.load.pps} base={base.jitter} head={head.jitter} />
        </>
      )}
      {data.sweep && (
        <OverLoadPanel
          name={fileName("over-load", runId.slice(0, 8))}
          sweep={data.sweep}
          search={search}
          onChange={onChange}
        />
      )}
      {data.sweep === null && data.kind === "rate" && <NoSweep />}
      <Course base={base} head={head} />
      {data.load && <Losses base={base} head={head} />}
      <Searches searches={data.searches} />
      <Invalid arms={[base, head]} />
    </>
  );
}

interface TimesProps {
  title: string;
  load: number;
  base: DistributionLike | null;
  head: DistributionLike | null;
}

function Times({ title, load, base, head }: TimesProps) {
  const curves: Curve[] = [];
  if (base) curves.push({ name: "base", color: COLORS.base, points: curveOf(base) });
  if (head) curves.push({ name: "head", color: COLORS.head, points: curveOf(head) });
  if (curves.length === 0) return null;
  const values = curves.flatMap((one) => one.points.map(([, ns]) => ns)).filter((ns) => ns > 0);
  const under = `at ${figure(load, "packets/s")}`;
  return (
    <Panel title={`${title} ${under}`}>
      <CurvePlot
        label={`${title} of base and head by percentile`}
        x={{ name: "percentile", low: 0, high: MOST_NINES, text: ninesText }}
        y={{
          name: title.toLowerCase(),
          low: Math.min(...values),
          high: Math.max(...values),
          log: true,
          text: timeText,
        }}
        curves={curves}
      />
      <table className="table">
        <thead>
          <tr>
            <th className="left">Percentile</th>
            <th>Base</th>
            <th>Head</th>
          </tr>
        </thead>
        <tbody>
          {SHOWN.map((one) => (
            <tr key={one}>
              <th scope="row">{one === 100 ? "max" : `p${one}`}</th>
              <td>{timeText(valueAt(base, one))}</td>
              <td>{timeText(valueAt(head, one))}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">packets</th>
            <td>{figure(base?.packets)}</td>
            <td>{figure(head?.packets)}</td>
          </tr>
        </tbody>
      </table>
    </Panel>
  );
}

function Losses({ base, head }: { base: ArmRates; head: ArmRates }) {
  const rows = lossRows(base.losses, head.losses);
  return (
    <Panel title="Lost packets by cause">
      {rows.length === 0 ? (
        <p className="soft">No packet was lost in a valid trial at this load.</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th className="left">Cause</th>
              <th>Base</th>
              <th>Head</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.cause}>
                <th scope="row">{row.cause}</th>
                <td>{lossText(row.base)}</td>
                <td>{lossText(row.head)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Searches({ searches }: { searches: RunRates["searches"] }) {
  if (searches.length === 0) return null;
  return (
    <Panel title="Searches">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Searches of NDR and PDR">
        <table className="table">
          <thead>
            <tr>
              <th className="left">Launch</th>
              <th className="left">Side</th>
              <th className="left">Goal</th>
              <th>Met, packets/s</th>
              <th>Not met, packets/s</th>
              <th className="left">Note</th>
            </tr>
          </thead>
          <tbody>
            {searches.map(({ arm, launch, search }) => (
              <tr key={`${launch} ${arm} ${search.goal}`}>
                <td className="left">{launch + 1}</td>
                <td className="left">{arm}</td>
                <td className="left">{search.goal.toUpperCase()}</td>
                <td>{figure(search.lower_pps)}</td>
                <td>{figure(search.upper_pps)}</td>
                <td className="left wrap">
                  {search.ended === "found" ? "" : `no figure: ${search.reason ?? search.ended}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}

function Invalid({ arms }: { arms: readonly ArmRates[] }) {
  const rows = arms.flatMap((one) => one.invalid.map((why) => ({ arm: one.arm, of: one.trials, ...why })));
  if (rows.length === 0) return null;
  return (
    <Panel title="Invalid trials">
      <p className="soft">They are in no figure. The raw report has them.</p>
      <ul className="notes">
        {rows.map((row) => (
          <li key={`${row.arm} ${row.reason}`}>
            {row.arm}: {row.trials} of {row.of}: {row.reason}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const plainFigure = (value: number): string => figure(value);

const COURSES = [
  { key: "buffers_in_use", title: "Buffers in use", unit: "buffers", text: plainFigure },
  { key: "memory_bytes", title: "Resident memory", unit: "", text: bytes },
  { key: "cpp", title: "CPP", unit: "cycles/packet", text: plainFigure },
  { key: "latency_p99_9_ns", title: "Latency p99.9", unit: "", text: timeText },
] as const;

function Course({ base, head }: { base: ArmRates; head: ArmRates }) {
  if (head.soak.length === 0) return null;
  const hours = Math.max(...[...base.soak, ...head.soak].map((one) => one.hours));
  return (
    <div className="panel-grid">
      {COURSES.map(({ key, title, unit, text }) => {
        const points = (side: ArmRates): Point[] =>
          side.soak.flatMap((one) => {
            const value = one[key];
            return value === null ? [] : [[one.hours, value] as const];
          });
        const curves = [
          { name: "base", color: COLORS.base, points: points(base) },
          { name: "head", color: COLORS.head, points: points(head) },
        ].filter((curve) => curve.points.length > 0);
        const values = curves.flatMap((curve) => curve.points.map(([, value]) => value));
        if (values.length === 0) return null;
        const [low, high] = [Math.min(...values), Math.max(...values)];
        const room = (high - low || Math.abs(high) || 1) * 0.1;
        return (
          <Panel key={key} title={title}>
            <CurvePlot
              label={`${title} of base and head over the soak`}
              x={{
                name: "hours",
                low: 0,
                high: hours,
                text: (value) => String(Number(value.toPrecision(3))),
              }}
              y={{
                name: unit,
                low: Math.max(0, low - room),
                high: high + room,
                text,
              }}
              curves={curves}
            />
          </Panel>
        );
      })}
    </div>
  );
}
