// SPDX-License-Identifier: Apache-2.0
/** A differential flame graph: callers above, callees below; arrow keys walk it, Enter zooms. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Frame } from "../../shared/api/types";
import { useWidth } from "../../shared/charts/useWidth";
import { signed, significant } from "../../shared/logic/text/format";
import { along, type Box, layout, neighbour, strength, type Tone, toneOf } from "./flame";

const ROW = 22;
/** Narrower frames have no room for a name; a longer name is cut at the frame. */
const LEAST_NAMED = 24;
const MARKS: Record<Tone, string> = { more: "▲ ", new: "+ ", less: "▼ ", gone: "− ", same: "" };

interface Props {
  root: Frame;
  unit: string;
  at: string | undefined;
  onAt: (path: string | undefined) => void;
  picture: RefObject<HTMLDivElement | null>;
}

export function FlameGraph({ root, unit, at, onAt, picture }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const trail = along(root, at);
  const zoomed = trail[trail.length - 1] ?? { frame: root, path: "" };
  const whole = Math.max(root.base, root.head);
  return (
    <div ref={picture}>
      <nav className="flame-trail" aria-label="Zoomed to">
        {trail.map(({ frame, path }, place) => (
          <button
            key={path}
            type="button"
            className="link-button"
            disabled={place === trail.length - 1}
            onClick={() => onAt(path || undefined)}
          >
            {frame.name}
          </button>
        ))}
      </nav>
      <div ref={element}>
        {width > 0 && (
          <Boxes
            key={zoomed.path}
            boxes={layout(zoomed.frame, zoomed.path)}
            width={width}
            whole={whole}
            unit={unit}
            onZoom={(path) => onAt(path || undefined)}
          />
        )}
      </div>
      <div className="legend">
        <span className="key">
          <span className="key-box flame-more" /> ▲ slower, + new
        </span>
        <span className="key">
          <span className="key-box flame-less" /> ▼ faster, − removed
        </span>
        <span className="key">
          Width: {unit} of the slower side, including callees. Arrow keys walk, Enter zooms, Home returns.
        </span>
      </div>
    </div>
  );
}

interface BoxesProps {
  boxes: Box<Frame>[];
  width: number;
  whole: number;
  unit: string;
  onZoom: (path: string) => void;
}

function Boxes({ boxes, width, whole, unit, onZoom }: BoxesProps) {
  const [active, setActive] = useState(boxes[0]?.path ?? "");
  const moved = useRef(false);
  const graph = useRef<SVGSVGElement>(null);
  useEffect(() => {
    if (moved.current) graph.current?.querySelector<SVGGElement>(`[data-path="${active}"]`)?.focus();
  }, [active]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" || event.key === " ") onZoom(active);
    else if (event.key.startsWith("Arrow") || event.key === "Home") {
      moved.current = true;
      setActive(neighbour(boxes, active, event.key));
    } else return;
    event.preventDefault();
  };
  const current = boxes.find((box) => box.path === active)?.frame;
  const height = (Math.max(...boxes.map((box) => box.depth)) + 1 - (boxes[0]?.depth ?? 0)) * ROW;
  return (
    <>
      <div role="tree" tabIndex={-1} aria-label="Differential flame graph" onKeyDown={onKey}>
        {/* biome-ignore lint/a11y/useSemanticElements: a drawn tree has no element of its own */}
        <svg ref={graph} role="group" aria-label="Frames" width={width} height={height}>
          {boxes.map((box) => (
            <FrameBox
              key={box.path}
              box={box}
              width={width}
              whole={whole}
              unit={unit}
              focusable={box.path === active}
              onFocus={() => setActive(box.path)}
              onZoom={() => onZoom(box.path)}
            />
          ))}
        </svg>
      </div>
      {current && <p className="flame-says">{sayFrame(current, unit)}</p>}
    </>
  );
}

interface BoxProps {
  box: Box<Frame>;
  width: number;
  whole: number;
  unit: string;
  focusable: boolean;
  onFocus: () => void;
  onZoom: () => void;
}

function FrameBox({ box, width, whole, unit, focusable, onFocus, onZoom }: BoxProps) {
  const { frame, depth, from } = box;
  const tone = toneOf(frame, whole);
  const wide = Math.max(box.width * width - 1, 1);
  return (
    <g
      role="treeitem"
      aria-level={depth + 1}
      aria-label={sayFrame(frame, unit)}
      aria-selected={focusable}
      tabIndex={focusable ? 0 : -1}
      data-path={box.path}
      className="flame-frame"
      transform={`translate(${from * width} ${depth * ROW})`}
      onClick={onZoom}
      onFocus={onFocus}
      onMouseEnter={onFocus}
    >
      <title>{sayFrame(frame, unit)}</title>
      <rect width={wide} height={ROW - 2} rx={2} fill="var(--panel-raised)" />
      <rect
        width={wide}
        height={ROW - 2}
        rx={2}
        className={`flame-${tone}`}
        opacity={strength(frame) * 0.6}
      />
      {wide > LEAST_NAMED && (
        <svg aria-hidden="true" width={wide - 3} height={ROW - 2}>
          <text x={5} y={14.5}>
            {MARKS[tone] + frame.name}
          </text>
        </svg>
      )}
    </g>
  );
}

function sayFrame(frame: Frame, unit: string): string {
  const { name, base, head, file, line } = frame;
  const where = file ? `, ${file}${line ? `:${line}` : ""}` : "";
  return `${name}: ${significant(base)} → ${significant(head)} (${signed(head - base, 2)}) ${unit}${where}`;
}
