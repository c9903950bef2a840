// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ServerPart, SettingsPart } from "./search";

interface Props<P extends SettingsPart | ServerPart> {
  label: string;
  words: Readonly<Record<P, string>>;
  current: P;
  /** The one that the address need not name. */
  first: P;
}

/** The parts of a page that is too long for one; the address says which is open. */
export function PartTabs<P extends SettingsPart | ServerPart>({ label, words, current, first }: Props<P>) {
  return (
    <nav className="part-tabs" aria-label={label}>
      {(Object.entries(words) as [P, string][]).map(([part, word]) => (
        <Link
          key={part}
          to="."
          search={part === first ? {} : { part }}
          className="part-tab"
          activeOptions={{ exact: true }}
          aria-current={part === current ? "page" : undefined}
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
