// SPDX-License-Identifier: Apache-2.0
import { TextInput } from "@mantine/core";

/** What a project is told about itself. */
export interface ProjectNamed {
  name: string;
  repository: string;
  default_branch: string;
}

interface Props {
  about: ProjectNamed;
  onChange: (about: ProjectNamed) => void;
  nameHelp: string;
  repositoryHelp: string;
  repositoryExample?: string;
  repositoryError?: string | undefined;
}

const FIELD = { required: true, autoComplete: "off", spellCheck: false } as const;

/** The fields of a project that is made, or changed. */
export function ProjectFields({
  about,
  onChange,
  nameHelp,
  repositoryHelp,
  repositoryExample,
  repositoryError,
}: Props) {
  return (
    <>
      <TextInput
        label="Name"
        description={nameHelp}
        maxLength={64}
        {...FIELD}
        value={about.name}
        onChange={(event) => onChange({ ...about, name: event.currentTarget.value })}
      />
      <TextInput
        label="Repository"
        description={repositoryHelp}
        placeholder={repositoryExample}
        maxLength={512}
        {...FIELD}
        error={repositoryError}
        value={about.repository}
        onChange={(event) => onChange({ ...about, repository: event.currentTarget.value })}
      />
      <TextInput
        label="Default branch"
        maxLength={128}
        {...FIELD}
        value={about.default_branch}
        onChange={(event) => onChange({ ...about, default_branch: event.currentTarget.value })}
      />
    </>
  );
}
