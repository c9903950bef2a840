// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { practicesQuery } from "../../shared/api/features";
import type { Explanation } from "../../shared/api/types";
import { said } from "../../shared/logic/text/format";
import { TuningName } from "../../shared/ui/TuningName";

type Advice = NonNullable<Explanation["advice"]>[number];

interface Props {
  project: string;
  advice: readonly Advice[];
}

/** Practices whose conditions are met, the most specific first: what made each fire, and what it was worth here. */
export function AdviceList({ project, advice }: Props) {
  const { data } = useQuery(practicesQuery(project));
  const measured = (rule: string) => data?.practices.find((one) => one.rule === rule)?.measured ?? [];
  return (
    <ol className="advice">
      {advice.map((one) => (
        <li key={one.rule}>
          <strong>{one.title}</strong> <TuningName of={one.direction} tag />
          <p>{said(one.text)}</p>
          <p className="soft">
            Because {one.because.join("; ")}. <span className="below">{one.source}</span>
          </p>
          {measured(one.rule).map((effect) => (
            <p key={`${effect.variant} ${effect.chain}`}>
              In this project: {said(effect.says)}
              {effect.side_by_side ? "" : " (not side by side)"}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}
