// SPDX-License-Identifier: Apache-2.0
import { lineLink } from "../../logic/code/sourceLink";

interface Props {
  of: { source_link: string | null };
  /** Null: the side was not built. */
  sha: string | null;
  file: string;
  line: number | null | undefined;
}

/** `file:line`, leading to the forge as it was at the commit where a forge is known. */
export function SourceLink({ of, sha, file, line }: Props) {
  const text = line ? `${file}:${line}` : file;
  const link = lineLink(of.source_link, sha, file, line);
  if (link === null) return <span className="mono">{text}</span>;
  return (
    <a className="mono" href={link} rel="noreferrer" title={`${text} at ${sha?.slice(0, 7)}`}>
      {text}
    </a>
  );
}
