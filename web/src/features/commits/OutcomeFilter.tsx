// SPDX-License-Identifier: Apache-2.0
import { DISPLAYS, displayInfo } from "../../shared/logic/run/verdict";
import { VerdictIcon } from "../../shared/ui/run/VerdictBadge";

interface Props {
  /** Commits of the project by outcome; a commit counts under each outcome that one of its scenarios has. */
  counts: Readonly<Record<string, number>>;
  requested: readonly string[];
  /** Outcomes joined by commas; undefined for all. */
  onChange: (outcome: string | undefined) => void;
}

/** Outcomes that occur, with their number; none pressed means all are shown. */
export function OutcomeFilter({ counts, requested, onChange }: Props) {
  const offered = DISPLAYS.filter((display) => counts[display] || requested.includes(display));
  const toggle = (display: string): void => {
    const next = DISPLAYS.filter((item) => (item === display) !== requested.includes(item));
    onChange(next.join(",") || undefined);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend of its own
    <div className="chips" role="group" aria-label="Show outcomes">
      {offered.map((display) => (
        <button
          key={display}
          type="button"
          className="chip"
          aria-pressed={requested.includes(display)}
          onClick={() => toggle(display)}
        >
          <VerdictIcon display={display} />
          {displayInfo(display).word}
          <span className="count">{counts[display] ?? 0}</span>
        </button>
      ))}
    </div>
  );
}
