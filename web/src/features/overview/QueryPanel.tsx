// SPDX-License-Identifier: Apache-2.0
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { FailedPart, Loading } from "../../shared/ui/States";

interface Props<T> {
  title: string;
  aside?: ReactNode;
  /** What it shows; it says itself while that loads, cannot be had, or may be old. */
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** A titled part of a page that comes and fails by itself, whatever the others do. */
export function QueryPanel<T>({ title, aside, query, children }: Props<T>) {
  const id = useId();
  const { data, error, refetch } = query;
  return (
    <section className="panel query-panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {data === undefined && (error ? <FailedPart error={error} onRetry={refetch} /> : <Loading rows={2} />)}
      {data !== undefined && error && (
        <p role="status" className="held query-says">
          The server is not responding. This data may be out of date.
        </p>
      )}
      {data !== undefined && children(data)}
    </section>
  );
}
