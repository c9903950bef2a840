// SPDX-License-Identifier: Apache-2.0
import { tuningOf } from "../logic/run/tuning";
import { Help } from "./Help";

interface Props {
  of: string;
  /** As a tag with the way it should go, in place of its words. */
  tag?: boolean;
}

/** What tuning aims at, by sign, with its meaning on hover or press. */
export function TuningName({ of, tag = false }: Props) {
  const found = tuningOf(of);
  if (found === undefined) return <>{of}</>;
  const [sign, index] = found.sign;
  const text = `${found.word[0]?.toUpperCase()}${found.word.slice(1)}. ${found.sentence}`;
  return (
    <Help {...(tag && { className: "tag" })} text={text}>
      {sign}
      {index && <sub>{index}</sub>}
      {tag ? ` ${found.better}` : `: ${found.word}`}
    </Help>
  );
}
