// SPDX-License-Identifier: Apache-2.0
import { ALERT_STATES, type AlertState, stateInfo } from "../../../shared/logic/alerts";

interface Props {
  requested: readonly AlertState[];
  /** Alerts that match the other filters, by state, once they are known. */
  counts: Readonly<Record<string, number>> | undefined;
  onToggle: (state: AlertState) => void;
}

/** States that are shown; pressing one takes it off or brings it back. */
export function AlertStateFilter({ requested, counts, onToggle }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend of its own
    <div className="chips" role="group" aria-label="States shown">
      {ALERT_STATES.map((state) => (
        <button
          key={state}
          type="button"
          className="chip"
          aria-pressed={requested.includes(state)}
          onClick={() => onToggle(state)}
        >
          {stateInfo(state).word}
          {counts && <span className="count">{counts[state] ?? 0}</span>}
        </button>
      ))}
    </div>
  );
}
