// SPDX-License-Identifier: Apache-2.0
import type { Mark } from "../logic/charts/history";
import { markWord } from "../logic/charts/historyEvents";
import { MARK_SHAPES } from "./chartMarks";

/** The marks that occur, with their words. */
export function MarkLegend({ marks }: { marks: readonly Mark[] }) {
  const present = Object.keys(MARK_SHAPES).filter((display) =>
    marks.some((mark) => mark.display === display),
  );
  return (
    <div className="legend">
      {present.map((display) => {
        const shape = MARK_SHAPES[display];
        return (
          <span key={display} className="key">
            <svg aria-hidden="true" width={14} height={14} viewBox="-7 -7 14 14">
              <polygon
                points={shape?.points.map((point) => point.join(",")).join(" ")}
                fill={`var(${shape?.token})`}
              />
            </svg>
            {markWord(display)}
          </span>
        );
      })}
    </div>
  );
}
