// SPDX-License-Identifier: Apache-2.0
import type { AlertsSearch } from "./search";

const searches = new Map<string, AlertsSearch>();

/** Remembers what a project's list of alerts showed last, so that an alert's page leads back to it. */
export function rememberSearch(project: string, { do: _, ...search }: AlertsSearch): void {
  searches.set(project, search);
}

export const lastSearch = (project: string): AlertsSearch => searches.get(project) ?? {};
