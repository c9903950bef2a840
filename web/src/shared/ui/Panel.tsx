// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, type Ref, useId } from "react";

/** A titled part of a page. `aside` stands at the right of the title. */
export function Panel({
  title,
  aside,
  body,
  children,
}: {
  title: ReactNode;
  aside?: ReactNode;
  /** Is given what stands under the title. */
  body?: Ref<HTMLDivElement>;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div className="panel-body" ref={body}>
        {children}
      </div>
    </section>
  );
}
