// SPDX-License-Identifier: Apache-2.0
/** What administrators see and change: accounts, invitations of agents, pools, projects. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "./client";
import type { AccountChange, AgentInvitationNew, ProjectNew, ProjectSettings } from "./types";

export const accountsQuery = () =>
  queryOptions({
    queryKey: ["accounts"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/accounts", { signal })),
  });

export const addAccount = (name: string, administrator: boolean) =>
  body(client.POST("/api/v1/accounts", { body: { name, administrator } }));

export const changeAccount = (account: string, request: AccountChange) =>
  body(client.PATCH("/api/v1/accounts/{account}", { params: { path: { account } }, body: request }));

/** A new one-time link for one who lost the password. */
export const linkAccount = (account: string) =>
  body(client.POST("/api/v1/accounts/{account}/link", { params: { path: { account } } }));

export const agentInvitationsQuery = () =>
  queryOptions({
    queryKey: ["invitations"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/agents/invitations", { signal })),
  });

export const inviteAgent = (request: AgentInvitationNew) =>
  body(client.POST("/api/v1/agents/invitations", { body: request }));

export const withdrawInvitation = (invitation_id: number): Promise<void> =>
  done(client.DELETE("/api/v1/agents/invitations/{invitation_id}", { params: { path: { invitation_id } } }));

export const poolsQuery = () =>
  queryOptions({
    queryKey: ["pools"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/pools", { signal })),
  });

export const bindProject = (project: string, pool: string) =>
  body(client.PUT("/api/v1/projects/{project}/pool", { params: { path: { project } }, body: { pool } }));

export const moveHost = (host: string, pool: string) =>
  body(client.PATCH("/api/v1/hosts/{host}", { params: { path: { host } }, body: { pool } }));

export const addProject = (request: ProjectNew) => body(client.POST("/api/v1/projects", { body: request }));

export const setProject = (project: string, requested: ProjectSettings) =>
  body(client.PATCH("/api/v1/projects/{project}", { params: { path: { project } }, body: requested }));
