// SPDX-License-Identifier: Apache-2.0
import type { Fingerprint, Host } from "../../shared/api/types";
import { moment } from "../../shared/logic/text/format";
import { HostFacts } from "../../shared/ui/run/HostFacts";

const SEVERITIES: Record<string, string> = {
  segment: "series go on at another level",
  incomparable: "another kind of host",
};

const SWITCHES: Record<string, string> = { True: "on", False: "off" };
const valueWord = (value: string): string => SWITCHES[value] ?? value;

/** What the host was over time, newest first: what changed each time, and all of it on request. */
export function FingerprintList({ fingerprints }: { fingerprints: readonly Fingerprint[] }) {
  if (fingerprints.length === 0) return <p className="soft">No run has reported a fingerprint yet.</p>;
  return (
    <ol className="rows fingerprints">
      {fingerprints.map((one) => (
        <li key={`${one.digest}${one.first_seen_at}`} className="row">
          <div className="row-main">
            <strong>{moment(one.first_seen_at)}</strong>
            {one.changes.length === 0 && <span className="below">First report.</span>}
            {one.changes.map((change) => (
              <span key={change.field} className="below">
                {change.field.replaceAll("_", " ")}: {valueWord(change.before)} → {valueWord(change.after)} (
                {SEVERITIES[change.severity] ?? change.severity})
              </span>
            ))}
            <details className="adder">
              <summary>The whole fingerprint</summary>
              <HostFacts host={one.fingerprint as unknown as Host} />
            </details>
          </div>
        </li>
      ))}
    </ol>
  );
}
