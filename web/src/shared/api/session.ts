// SPDX-License-Identifier: Apache-2.0
/** Who is signed in, and signing in and out. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done, rememberCsrf } from "./client";
import type { SignedIn } from "./types";

const remembered = (session: SignedIn): SignedIn => {
  rememberCsrf(session.csrf);
  return session;
};

export const sessionQuery = () =>
  queryOptions({
    queryKey: ["session"],
    queryFn: async ({ signal }) => remembered(await body(client.GET("/api/v1/session", { signal }))),
    staleTime: 60_000,
  });

/** By whom people can sign in, besides name and password. */
export const providersQuery = () =>
  queryOptions({
    queryKey: ["providers"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/sign-in/providers", { signal })),
    staleTime: 300_000,
  });

/** Where the browser goes to sign in by one of them. */
export const providerPath = (name: string, to: string): string =>
  `/api/v1/sign-in/${encodeURIComponent(name)}/start${to === "/" ? "" : `?to=${encodeURIComponent(to)}`}`;

export const signInByPassword = async (name: string, password: string): Promise<SignedIn> =>
  remembered(await body(client.POST("/api/v1/session", { body: { name, password } })));

export const signInByLink = async (link: string): Promise<SignedIn> =>
  remembered(await body(client.POST("/api/v1/session", { body: { link } })));

export const signOut = (): Promise<void> => done(client.DELETE("/api/v1/session"));

/** `old` is not asked of one who came by a link. */
export const changePassword = (old: string | null, password: string): Promise<void> =>
  done(client.PUT("/api/v1/session/password", { body: { old, new: password } }));
