// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";

const exact = { exact: true, includeSearch: false } as const;

/** The same changes, one by one and summed up. */
export function CommitsTabs({ project }: { project: string }) {
  const params = { project };
  return (
    <nav className="part-tabs" aria-label="Commits">
      <Link to="/p/$project" params={params} className="part-tab" activeOptions={exact}>
        By commit
      </Link>
      <Link to="/p/$project/weeks" params={params} className="part-tab" activeOptions={exact}>
        By week
      </Link>
    </nav>
  );
}
