// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../../shared/api/hosts";
import { Sparkline } from "../../shared/charts/Sparkline";
import { share } from "../../shared/logic/hosts";

/** CPU steal over the last day: what a host on shared hardware suffers from most. */
export function HealthLine({ host }: { host: string }) {
  const { data: samples = [] } = useQuery(healthQuery(host));
  return (
    <Sparkline
      values={samples.map((sample) => sample.steal)}
      label={(low, high) => `CPU steal in the last day: between ${share(low)} and ${share(high)}`}
    />
  );
}
