// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

interface Props {
  title: ReactNode;
  under?: ReactNode;
  /** Beside the heading: how it stands. */
  mark?: ReactNode;
  /** The way up: links to the lists this one stands in. */
  up?: ReactNode;
  /** Controls at the right. */
  children?: ReactNode;
}

/** The page's one heading, there in every state of the page. */
export function PageHead({ title, under, mark, up, children }: Props) {
  return (
    <div className="page-head">
      <div>
        {up && (
          <nav className="page-up" aria-label="Way up">
            {up}
          </nav>
        )}
        <div className="page-title">
          <h1>{title}</h1>
          {mark}
        </div>
        {under && <p>{under}</p>}
      </div>
      {children && <div className="controls">{children}</div>}
    </div>
  );
}
