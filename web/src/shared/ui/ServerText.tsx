// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "react";

/** A sentence of the server, what stands between backticks as code. */
export function ServerText({ children }: { children: string }) {
  return children.split("`").map((part, place) => {
    const key = `${place} ${part}`;
    return place % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
