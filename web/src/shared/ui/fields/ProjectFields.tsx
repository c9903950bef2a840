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
  /** Why a field's value is refused. */
  errors?: Partial<Record<keyof ProjectNamed, string | null | undefined>>;
  /** What stands in for an empty default branch; without it, one must be given. */
  branchUsual?: string;
}

const FIELD = { required: true, autoComplete: "off", spellCheck: false } as const;

/** The fields of a project that is made, or changed. */
export function ProjectFields({
  about,
  onChange,
  nameHelp,
  repositoryHelp,
  repositoryExample,
  errors = {},
  branchUsual,
}: Props) {
  return (
    <>
      <TextInput
        label="Name"
        description={nameHelp}
        maxLength={64}
        {...FIELD}
        error={errors.name}
        value={about.name}
        onChange={(event) => onChange({ ...about, name: event.currentTarget.value })}
      />
      <TextInput
        label="Repository"
        description={repositoryHelp}
        placeholder={repositoryExample}
        maxLength={512}
        {...FIELD}
        error={errors.repository}
        value={about.repository}
        onChange={(event) => onChange({ ...about, repository: event.currentTarget.value })}
      />
      <TextInput
        label="Default branch"
        maxLength={128}
        placeholder={branchUsual}
        {...FIELD}
        required={branchUsual === undefined}
        error={errors.default_branch}
        value={about.default_branch}
        onChange={(event) => onChange({ ...about, default_branch: event.currentTarget.value })}
      />
    </>
  );
}
