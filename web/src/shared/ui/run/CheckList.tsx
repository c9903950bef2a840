// SPDX-License-Identifier: Apache-2.0
import type { Check } from "../../api/types";
import { said } from "../../logic/text/format";
import { Icon } from "../Icon";

/** The run's tests of its own numbers, failed ones first. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  const ordered = [...checks].sort((a, b) => Number(a.passed) - Number(b.passed));
  return (
    <dl className="help-list">
      {ordered.map((check) => (
        <div key={check.name} style={{ display: "contents" }}>
          <dt className={check.passed ? "better" : "worse"}>
            <Icon name={check.passed ? "check" : "broken"} /> {check.passed ? "passed" : "failed"}
          </dt>
          <dd>
            {said(check.message)} <span className="mono soft">{check.name}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
