// SPDX-License-Identifier: Apache-2.0
import { REASONS, reasonWord } from "../../shared/logic/queue";

interface Props {
  requested: readonly string[];
  /** Reasons joined by commas; undefined for all. */
  onChange: (reason: string | undefined) => void;
}

/** Why jobs were made; none pressed means all are shown. */
export function ReasonFilter({ requested, onChange }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend of its own
    <div className="chips" role="group" aria-label="Show reasons">
      {REASONS.map((reason) => (
        <button
          key={reason}
          type="button"
          className="chip"
          aria-pressed={requested.includes(reason)}
          onClick={() =>
            onChange(
              REASONS.filter((item) => (item === reason) !== requested.includes(item)).join(",") || undefined,
            )
          }
        >
          {reasonWord(reason)}
        </button>
      ))}
    </div>
  );
}
