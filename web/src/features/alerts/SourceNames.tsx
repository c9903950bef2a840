// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "react";
import { SOURCES } from "../../shared/logic/text/sources";
import { Help } from "../../shared/ui/Help";

/** Which counters a figure is from, `tsc+simulated`, each with what it is. */
export function SourceNames({ of }: { of: string }) {
  return of.split("+").map((name, place) => (
    <Fragment key={name}>
      {place > 0 && " + "}
      {SOURCES[name] ? <Help text={`Counts ${SOURCES[name]}.`}>{name}</Help> : name}
    </Fragment>
  ));
}
