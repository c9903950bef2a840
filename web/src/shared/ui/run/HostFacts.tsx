// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { Host } from "../../api/types";
import { bytes, figure } from "../../logic/text/format";

/** The fingerprint of the bench host. */
export function HostFacts({ host }: { host: Host }) {
  const pairs: [string, string][] = [
    ["Name", host.name],
    ["Host class", host.host_class],
    ["CPU", `${host.cpu_model}, ${host.cores} ${host.cores === 1 ? "core" : "cores"}`],
    ["TSC", figure(host.tsc_hz, "Hz")],
    ["Memory", bytes(host.memory_bytes)],
    ["Caches", join(host.caches, (size) => bytes(size))],
    ["System", `${host.os}, kernel ${host.kernel}`],
    ["Virtual machine", host.virtual ? "yes" : "no"],
    ["Huge pages", host.huge_pages ? "yes" : "no"],
    ["Governor", host.governor ?? "not known"],
    ["Pinned", join(host.pinned, (value) => value)],
  ];
  return <Facts pairs={pairs.filter(([, value]) => value !== "")} />;
}

function join<T>(map: { [name: string]: T } | undefined, text: (value: T) => string): string {
  return Object.entries(map ?? {})
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(", ");
}

export function Facts({ pairs }: { pairs: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {pairs.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
