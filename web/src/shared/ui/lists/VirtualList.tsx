// SPDX-License-Identifier: Apache-2.0
/**
 * A list of any length: beyond a screenful or two, only the rows near the visible part are in the document, but all of
 * them on paper.
 */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { usePrinting } from "../hooks/usePrinting";

/** Up to so many rows all are drawn: the browser's own search and printing then find them all. */
const PLAIN = 60;
/** Rows drawn above and below the visible part, so that the keyboard's next row is there. */
const OVERSCAN = 12;

interface Props<T> {
  items: readonly T[];
  keyOf: (item: T) => string | number;
  label: string;
  className: string;
  /** Height of a row before it is measured, in CSS pixels. */
  rowHeight: number;
  /** The whole `li`. */
  children: (item: T, index: number, place: RowPlace) => ReactNode;
  /** The last rows came near the visible part. */
  onEnd?: (() => void) | undefined;
}

/** Properties for the row's `li`; empty while all rows are drawn. */
export interface RowPlace {
  ref?: (element: HTMLElement | null) => void;
  "data-index"?: number;
  "aria-setsize"?: number;
  "aria-posinset"?: number;
  style?: { position: "absolute"; left: 0; right: 0; top: number };
}

const EVERYWHERE: RowPlace = {};

export function VirtualList<T>(props: Props<T>) {
  const printing = usePrinting();
  if (props.items.length > PLAIN && !printing) return <Windowed {...props} />;
  return (
    <ol className={props.className} aria-label={props.label}>
      {props.items.map((item, index) => props.children(item, index, EVERYWHERE))}
    </ol>
  );
}

function Windowed<T>({ items, keyOf, label, className, rowHeight, children, onEnd }: Props<T>) {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const now = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(now - top) > 1) setTop(now);
  });
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index] as T),
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const atEnd = last >= items.length - OVERSCAN;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each length of the list
  useLayoutEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, items.length]);
  return (
    <ol
      ref={list}
      className={`${className} windowed`}
      aria-label={label}
      style={{ height: rows.getTotalSize() }}
    >
      {drawn.map((row) =>
        children(items[row.index] as T, row.index, {
          ref: rows.measureElement,
          "data-index": row.index,
          "aria-setsize": items.length,
          "aria-posinset": row.index + 1,
          style: { position: "absolute", left: 0, right: 0, top: row.start - top },
        }),
      )}
    </ol>
  );
}
