// SPDX-License-Identifier: Apache-2.0
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Row } from "../logic/text/csv";
import { Panel } from "./Panel";
import { FailedPart, Loading } from "./States";
import { ExportButtons } from "./save/ExportButtons";

interface PartProps<T, K extends readonly unknown[]> {
  title: string;
  aside?: ReactNode;
  /** Its table as a file: of the name, what it is, and the rows. */
  saved?: { name: string; what: string; rows: (data: T) => readonly Row[] };
  query: UseQueryOptions<T, Error, T, K>;
  children: (data: T) => ReactNode;
}

/** A list without entries is nothing to save. */
const isEmpty = (data: unknown): boolean => Array.isArray(data) && data.length === 0;

/** A panel of what one query says, with its own loading and failing state. */
export function SettingsPart<T, K extends readonly unknown[]>({
  title,
  aside,
  saved,
  query,
  children,
}: PartProps<T, K>) {
  const { data, error, refetch } = useQuery(query);
  return (
    <Panel
      title={title}
      aside={
        saved && data !== undefined && !isEmpty(data) ? (
          <ExportButtons {...saved} rows={() => saved.rows(data)} />
        ) : (
          aside
        )
      }
    >
      {data !== undefined ? (
        children(data)
      ) : error ? (
        <FailedPart error={error} onRetry={refetch} />
      ) : (
        <Loading rows={2} />
      )}
    </Panel>
  );
}
