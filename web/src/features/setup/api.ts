// SPDX-License-Identifier: Apache-2.0
/** What the server has seen of a project's setting up, as far as the one who asks may know it. */
import { queryOptions, skipToken } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";
import type { ProjectCreated } from "../../shared/api/types";

const POLL_MS = 4_000;

/** A project that was created just now, with its secrets: only what that page put here, kept while it is shown. */
export const createdQuery = (project: string) =>
  queryOptions<ProjectCreated>({ queryKey: ["created", project], queryFn: skipToken });

export interface Asker {
  /** Signed in: may see hosts. */
  known: boolean;
  /** May see deliveries. */
  maintains: boolean;
}

export const setupQuery = (project: string, { known, maintains }: Asker) =>
  queryOptions({
    queryKey: ["setup", project, known, maintains],
    queryFn: async ({ signal }) => {
      const [hosts, deliveries] = await Promise.all([
        known ? body(client.GET("/api/v1/hosts", { signal })) : null,
        maintains
          ? body(
              client.GET("/api/v1/projects/{project}/deliveries", {
                params: { path: { project }, query: { limit: 1 } },
                signal,
              }),
            )
          : null,
      ]);
      return {
        hostsOnline: hosts?.filter((host) => host.state === "online").length ?? null,
        deliveries: deliveries?.length ?? null,
      };
    },
    refetchInterval: POLL_MS,
  });
