// SPDX-License-Identifier: Apache-2.0
import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { revisionsQuery } from "../../shared/api/compare";

const TYPING_MS = 150;

interface Props extends AutocompleteProps {
  project: string;
}

/** Any revision, also one that the server does not know yet; known ones are offered by name, subject and author. */
export function RevisionInput({ project, ...input }: Props) {
  const [typed] = useDebouncedValue(input.value ?? "", TYPING_MS);
  const { data: found = [] } = useQuery(revisionsQuery(project, typed));
  const subjects = new Map(found.map((one) => [one.name, one.subject]));
  return (
    <Autocomplete
      data={[...subjects.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span>
          <span className="mono">{option.value}</span> {subjects.get(option.value)}
        </span>
      )}
      autoComplete="off"
      spellCheck={false}
      maxDropdownHeight={320}
      {...input}
    />
  );
}
