// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../api/hosts";
import { share, sparkline } from "../logic/hosts";

/** Stolen time over the last day: what a host on shared hardware suffers from most. */
export function HealthLine({ host }: { host: string }) {
  const { data: samples = [] } = useQuery(healthQuery(host));
  const line = sparkline(samples.map((sample) => sample.steal));
  if (line === null) return null;
  const text = `Stolen time in the last day: between ${share(line.low)} and ${share(line.high)}`;
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {line.pieces.map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  );
}
