// SPDX-License-Identifier: Apache-2.0
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { revisionsQuery } from "../../shared/api/compare";
import type { Revision } from "../../shared/api/types";
import { shortSha } from "../../shared/logic/text/format";

interface Props {
  project: string;
  label: string;
  value: string | undefined;
  onChange: (revision: string) => void;
}

const TYPING_MS = 150;
const GROUPS = { branch: "Branches", tag: "Tags", commit: "Commits" } as const;

/** A branch, tag or commit, found by the server from a few letters of its name, subject or author. */
export function RevisionPicker({ project, label, value, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const [requested] = useDebouncedValue(typed, TYPING_MS);
  const { data: found = [] } = useQuery(
    revisionsQuery(project, chosenText(requested, value) ? "" : requested),
  );
  const option = (one: Revision) => ({ value: nameOf(one), label: textOf(one) });
  const known = found.map(nameOf).find((name) => value !== undefined && name.startsWith(value));
  const data = (Object.keys(GROUPS) as Revision["kind"][])
    .map((kind) => ({
      group: GROUPS[kind] as string,
      items: found.filter((one) => one.kind === kind).map(option),
    }))
    .filter(({ items }) => items.length > 0);
  if (value && !known) data.unshift({ group: "Chosen", items: [{ value, label: shortOf(value) }] });
  return (
    <Select
      label={label}
      placeholder="Commit, tag or branch"
      data={data}
      value={known ?? value ?? null}
      onChange={(revision) => revision && onChange(revision)}
      searchable
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      allowDeselect={false}
      nothingFoundMessage="Nothing has that name, subject or author"
      maxDropdownHeight={360}
    />
  );
}

/** A branch moves, so its name is kept; a commit is its sha. */
const nameOf = (one: Revision): string => (one.kind === "commit" ? one.sha : one.name);

const shortOf = (revision: string): string =>
  /^[0-9a-f]{12,}$/.test(revision) ? revision.slice(0, 7) : revision;

function textOf(one: Revision): string {
  const words = one.kind === "commit" ? [one.name, one.subject ?? ""] : [one.name, shortSha(one.sha)];
  return [...words, one.measured ? "" : "(not measured)"].filter(Boolean).join("  ");
}

/** What stands in the box because it was chosen is no search. */
const chosenText = (text: string, value: string | undefined): boolean =>
  value !== undefined && (text.startsWith(shortOf(value)) || text === value);
