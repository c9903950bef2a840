// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { CommitRef } from "../../api/types";

interface Props {
  project: string;
  commit: CommitRef;
  /** Without its subject. */
  short?: boolean;
}

/** A commit by hash and subject; leads to what it changed. */
export function CommitLink({ project, commit, short = false }: Props) {
  return (
    <>
      <Link
        to="/p/$project/compare"
        params={{ project }}
        search={{ head: commit.sha }}
        className="mono"
        title={commit.subject ?? undefined}
      >
        {commit.short_sha}
      </Link>
      {!short && commit.subject && ` ${commit.subject}`}
    </>
  );
}
