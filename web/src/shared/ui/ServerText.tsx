// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "react";
import { said } from "../logic/text/format";

/** A sentence of the server, with the page's signs and moments; what stands between backticks as code, as it is. */
export function ServerText({ children }: { children: string }) {
  return children.split("`").map((part, place) => {
    const key = `${place} ${part}`;
    return place % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{said(part)}</Fragment>;
  });
}
