// SPDX-License-Identifier: Apache-2.0
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Panel } from "./Panel";
import { Failed, Loading } from "./States";

interface PartProps<T, K extends readonly unknown[]> {
  title: string;
  aside?: ReactNode;
  query: UseQueryOptions<T, Error, T, K>;
  children: (data: T) => ReactNode;
}

/** A panel of what one query says, with its own loading and failing state. */
export function SettingsPart<T, K extends readonly unknown[]>({
  title,
  aside,
  query,
  children,
}: PartProps<T, K>) {
  const { data, error, refetch } = useQuery(query);
  return (
    <Panel title={title} aside={aside}>
      {data !== undefined ? (
        children(data)
      ) : error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading rows={2} />
      )}
    </Panel>
  );
}
