// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { type Spans, useSpan } from "../../shared/charts/spans";
import { lengthOf, panned, wholeOf, zoomed } from "../../shared/logic/charts/thin";
import { counted } from "../../shared/logic/overview";
import { useKeys } from "../../shared/ui/hooks/useKeys";

interface Props {
  spans: Spans;
  /** Commits there are to show. */
  count: number;
}

const NEARER = 0.5;
const STEP = 0.5;

/** Nearer, further, earlier, later, all: by button or by key. */
export function HistoryZoom({ spans, count }: Props) {
  const span = useSpan(spans);
  const onSpan = spans.set;
  const middle = (span.from + span.to) / 2;
  const moves = [
    { key: "[", sign: "‹", word: "Earlier", to: panned(span, -STEP, count) },
    { key: "]", sign: "›", word: "Later", to: panned(span, STEP, count) },
    { key: "+", sign: "+", word: "Zoom in", to: zoomed(span, NEARER, middle, count) },
    { key: "-", sign: "−", word: "Zoom out", to: zoomed(span, 1 / NEARER, middle, count) },
    { key: "0", sign: "All", word: "All commits", to: wholeOf(count) },
  ];
  useKeys(Object.fromEntries(moves.map((move) => [move.key, () => onSpan(move.to)])));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend of its own
    <div className="zoom" role="group" aria-label="Commits shown">
      <span className="zoom-range soft number" role="status">
        {lengthOf(span) < count
          ? `${lengthOf(span)} of ${counted(count, "commit")}`
          : counted(count, "commit")}
      </span>
      {moves.map(({ key, sign, word, to }) => (
        <Button
          key={key}
          size="compact-sm"
          variant="default"
          aria-label={word}
          title={`${word} (${key})`}
          disabled={to.from === span.from && to.to === span.to}
          onClick={() => onSpan(to)}
        >
          {sign}
        </Button>
      ))}
    </div>
  );
}
