// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";

const exact = { exact: true, includeSearch: false } as const;

/** From what was measured to what follows from it. */
export function ModelsTabs({ project }: { project: string }) {
  const params = { project };
  return (
    <nav className="part-tabs" aria-label="Models">
      <Link to="/p/$project/models" params={params} className="part-tab" activeOptions={exact}>
        Measured
      </Link>
      <Link to="/p/$project/models/predicted" params={params} className="part-tab" activeOptions={exact}>
        Predicted
      </Link>
      <Link to="/p/$project/models/practices" params={params} className="part-tab" activeOptions={exact}>
        Practices
      </Link>
    </nav>
  );
}
