// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from "../api/types";
import { said } from "../logic/format";
import { Help } from "./Help";

type Advice = NonNullable<Explanation["advice"]>[number];

const DIRECTIONS: Record<Advice["direction"], string> = {
  f_t: "f_t, to be lowered: all the computing there is.",
  f_a: "f_a, to be lowered: what does not run in parallel.",
  f_s: "f_s, to be lowered: overhead that is always there.",
  f_i: "f_i, to be lowered: overhead that grows with each core.",
  eipc_up: "eIPC, to be raised: instructions wait less.",
  ipp_down: "IPP, to be lowered: fewer instructions for a packet.",
};

/** Practices whose conditions are met, the most specific first, each with what made it fire. */
export function AdviceList({ advice }: { advice: readonly Advice[] }) {
  return (
    <ol className="advice">
      {advice.map((one) => (
        <li key={one.rule}>
          <strong>{one.title}</strong>{" "}
          <Help className="tag" text={DIRECTIONS[one.direction] ?? one.direction}>
            <Direction of={one.direction} />
          </Help>
          <p>{said(one.text)}</p>
          <p className="soft">
            Because {one.because.join("; ")}. <span className="below">{one.source}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}

function Direction({ of }: { of: Advice["direction"] }) {
  if (of === "eipc_up") return "eIPC up";
  if (of === "ipp_down") return "IPP down";
  return (
    <>
      f<sub>{of.replace("f_", "")}</sub> down
    </>
  );
}
