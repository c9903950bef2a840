// SPDX-License-Identifier: Apache-2.0
import { Select } from "@mantine/core";
import type { Commit } from "../../api/types";
import { shortSha } from "../../logic/text/format";

interface Props {
  label: string;
  commits: readonly Commit[];
  value: string | undefined;
  onChange: (sha: string) => void;
}

/** A commit by search in hash and subject; one that is not in the list (an old link) is shown by its hash. */
export function CommitPicker({ label, commits, value, onChange }: Props) {
  const known = commits.find((commit) => value !== undefined && commit.sha.startsWith(value));
  const data = commits.map((commit) => ({
    value: commit.sha,
    label: `${commit.short_sha}  ${commit.subject ?? ""}`,
  }));
  if (value !== undefined && known === undefined) data.push({ value, label: shortSha(value) });
  return (
    <Select
      label={label}
      placeholder="Choose a commit"
      data={data}
      value={known?.sha ?? value ?? null}
      onChange={(sha) => sha && onChange(sha)}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such commit"
      maxDropdownHeight={360}
    />
  );
}
