// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session";
import type { SignedIn } from "../../api/types";
import { may, type Role } from "../../logic/roles";

/** Who is signed in; undefined until it is known. */
export function useSession(): SignedIn | undefined {
  return useQuery(sessionQuery()).data;
}

export function useMay(project: string, needed: Role): boolean {
  return may(useSession(), project, needed);
}
