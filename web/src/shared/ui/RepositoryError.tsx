// SPDX-License-Identifier: Apache-2.0
import { said } from "../logic/text/format";
import { Icon } from "./Icon";

/** Why nothing new of the repository is known. Nothing while it can be read. */
export function RepositoryError({ error }: { error: string | null | undefined }) {
  if (!error) return null;
  return (
    <p className="action-error" role="status">
      <Icon name="invalid" /> The repository cannot be read: {said(error)}
    </p>
  );
}
