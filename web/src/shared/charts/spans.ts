// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from "react";
import type { Span } from "../logic/charts/thin";

/** The places that charts show, kept outside of React: a chart draws another span without being rendered. */
export interface Spans {
  /** The same object while nothing changes. */
  get: () => Span;
  set: (span: Span) => void;
  subscribe: (onChange: () => void) => () => void;
}

/** For what is rendered again with each span. */
export const useSpan = (spans: Spans): Span => useSyncExternalStore(spans.subscribe, spans.get);
