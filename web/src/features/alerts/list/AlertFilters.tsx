// SPDX-License-Identifier: Apache-2.0
/** What narrows the list of alerts, all of it on the server and in the address. */
import { SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { scenariosQuery } from "../../../shared/api/queries";
import type { AlertFacets } from "../../../shared/api/types";
import { useSession } from "../../../shared/ui/hooks/useSession";
import { SearchBox } from "../../../shared/ui/lists/SearchBox";
import type { AlertsSearch } from "../search";

const ORDERS = [
  { value: "severity", label: "By severity" },
  { value: "new", label: "Newest" },
];
const AGE_CHOICES = [
  { value: "day", label: "Last 24 hours" },
  { value: "week", label: "Last 7 days" },
  { value: "month", label: "Last 30 days" },
  { value: "older", label: "Older than 30 days" },
] as const;

interface Props {
  project: string;
  search: AlertsSearch;
  facets: AlertFacets | undefined;
  set: (change: AlertsSearch) => void;
}

export function AlertFilters({ project, search, facets, set }: Props) {
  const { data: scenarios = [] } = useQuery(scenariosQuery(project));
  const me = useSession()?.name ?? null;
  const people = new Set([me, search.assignee, ...Object.keys(facets?.assignees ?? {})]);
  const choices = [
    { label: "Stage", key: "stage", all: "Any", names: withChosen(facets?.stages, search.stage) },
    { label: "Author", key: "author", all: "Anybody", names: withChosen(facets?.authors, search.author) },
    { label: "Scenario", key: "scenario", all: "Any", names: scenarios.map((one) => one.name) },
    {
      label: "Assignee",
      key: "assignee",
      all: "Any",
      names: [...people].filter((one) => typeof one === "string"),
    },
  ] as const;
  return (
    <search className="list-filter labelled">
      <SearchBox
        label="Search alerts"
        placeholder="Subject, author, scenario or hash"
        value={search.q}
        onChange={(q) => set({ q })}
      />
      {choices
        .filter(({ names }) => names.length > 0)
        .map(({ label, key, all, names }) => (
          <Select
            key={key}
            aria-label={label}
            placeholder={`${label}: ${all.toLowerCase()}`}
            clearable
            searchable
            size="xs"
            w={150}
            data={names}
            value={search[key] ?? null}
            onChange={(next) => set({ [key]: next ?? undefined })}
          />
        ))}
      <Select
        aria-label="Age"
        placeholder="Age: any"
        clearable
        size="xs"
        w={150}
        data={AGE_CHOICES}
        value={search.age ?? null}
        onChange={(next) => set({ age: AGE_CHOICES.find((one) => one.value === next)?.value })}
      />
      <SegmentedControl
        aria-label="Order"
        size="xs"
        data={ORDERS}
        value={search.order ?? "severity"}
        onChange={(next) => set({ order: next === "new" ? "new" : undefined })}
      />
    </search>
  );
}

/** The values that occur, and the chosen one though none is left of it. */
const withChosen = (
  counted: Readonly<Record<string, number>> | undefined,
  chosen: string | undefined,
): string[] => [...new Set([...Object.keys(counted ?? {}), ...(chosen ? [chosen] : [])])];
