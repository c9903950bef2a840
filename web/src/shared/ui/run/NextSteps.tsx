// SPDX-License-Identifier: Apache-2.0
import type { Check } from "../../api/types";
import { whatHelps } from "../../logic/run/nextSteps";
import { MeasurePair } from "../jobs/MeasurePair";
import { NoteList } from "../NoteList";
import { Panel } from "../Panel";

interface Props {
  project: string;
  display: string;
  status?: string;
  checks: readonly Check[];
  base: string | null;
  head: string | null;
  scenario: string;
}

/** What to do after a run that decided nothing, with the button that does it. */
export function NextSteps({ project, base, head, ...run }: Props) {
  const { scenario } = run;
  const sentences = whatHelps(run);
  if (sentences.length === 0) return null;
  return (
    <Panel title="What can help">
      <NoteList notes={sentences} />
      {base && head && (
        <MeasurePair
          key={`${base} ${head} ${scenario}`}
          project={project}
          base={base}
          head={head}
          scenario={scenario}
        />
      )}
    </Panel>
  );
}
