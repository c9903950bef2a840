// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../../shared/api/hosts";
import type { HealthSample } from "../../shared/api/types";
import { Sparkline } from "../../shared/charts/Sparkline";
import { share } from "../../shared/logic/hosts";
import { bytes, MISSING, significant, THIN } from "../../shared/logic/text/format";
import { Failed, Loading } from "../../shared/ui/States";

interface Line {
  name: string;
  of: (sample: HealthSample) => number | null | undefined;
  text: (value: number) => string;
}

const LINES: readonly Line[] = [
  { name: "CPU steal", of: (one) => one.steal, text: share },
  { name: "Load per CPU", of: (one) => one.load, text: (value) => significant(value, 2) },
  { name: "Smallest detectable change", of: (one) => one.resolves, text: share },
  { name: "Disk free", of: (one) => one.disk_free_bytes, text: bytes },
  {
    name: "Temperature",
    of: (one) => one.temperature_celsius,
    text: (value) => `${significant(value, 3)}${THIN}°C`,
  },
  { name: "Frequency", of: (one) => one.frequency_mhz, text: (value) => `${Math.round(value)}${THIN}MHz` },
  {
    name: "Clock offset",
    of: (one) => one.clock_offset_seconds,
    text: (value) => `${significant(value, 2)}${THIN}s`,
  },
];

/** The last day of the host's health, each figure as a small line with its newest value. */
export function HostHealth({ host }: { host: string }) {
  const { data: samples, error, refetch } = useQuery(healthQuery(host));
  if (samples === undefined) return error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={2} />;
  if (samples.length === 0) return <p className="soft">No health report in the last 24 hours.</p>;
  return (
    <ul className="health-lines">
      {LINES.map((line) => (
        <HealthFigure key={line.name} line={line} samples={samples} />
      ))}
    </ul>
  );
}

function HealthFigure({ line, samples }: { line: Line; samples: readonly HealthSample[] }) {
  const values = samples.map((sample) => line.of(sample) ?? null);
  const newest = values.findLast((value) => value !== null);
  return (
    <li>
      <span className="soft">{line.name}</span>
      <strong className="number">{newest == null ? MISSING : line.text(newest)}</strong>
      <Sparkline
        values={values}
        label={(low, high) =>
          `${line.name} in the last day: between ${line.text(low)} and ${line.text(high)}`
        }
      />
    </li>
  );
}
