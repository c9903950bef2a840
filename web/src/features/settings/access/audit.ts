// SPDX-License-Identifier: Apache-2.0
/** Who did what: in one project, or on the whole server. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { body, client } from "../../../shared/api/client";

const PAGE = 50;

export interface AuditFilter {
  who?: string | undefined;
  /** `noun.verb`, or a noun. */
  action?: string | undefined;
}

/** Pages, newest first; without a project the server's. */
export const auditQuery = (project: string | undefined, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", project ?? null, filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const { who, action } = filter;
      const query = {
        limit: PAGE,
        ...(before ? { before } : {}),
        ...(who ? { who } : {}),
        ...(action ? { action } : {}),
      };
      return project === undefined
        ? body(client.GET("/api/v1/audit", { params: { query }, signal }))
        : body(
            client.GET("/api/v1/projects/{project}/audit", { params: { path: { project }, query }, signal }),
          );
    },
    getNextPageParam: (last) => (last.length === PAGE ? last.at(-1)?.id : undefined),
  });
