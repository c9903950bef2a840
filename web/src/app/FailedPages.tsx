// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { useTitle } from "../shared/ui/hooks/useTitle";
import { PageHead } from "../shared/ui/PageHead";
import { CenterState, Failed } from "../shared/ui/States";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <>
      <PageHead title="Not found" />
      <CenterState icon="inconclusive" title="This page does not exist">
        <p>The address may be of an older version, or mistyped.</p>
        <Link to="/">All projects</Link>
      </CenterState>
    </>
  );
}

/** A fault of the page itself, or its code cannot be had; loading it again is the way out. */
export function CrashedPage({ error }: { error: unknown }) {
  useTitle("Cannot be shown");
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <Failed
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => window.location.reload()}
      />
    </>
  );
}
