// SPDX-License-Identifier: Apache-2.0
import type { Change, StageChange } from "../../api/types";
import { stageFile } from "../../logic/text/tableFiles";
import { SavedPanel } from "../save/SavedPanel";
import { StageTable } from "./StageTable";

interface Props {
  title: string;
  /** Of the files, without ending. */
  name: string;
  chain: Change | null;
  chainName: string | null;
  stages: readonly StageChange[];
  culprits: readonly string[];
  notes: Readonly<Record<string, string>>;
  about: string | null;
}

/** Where the cycles went, stage by stage. */
export function StagePanel({ title, name, ...shown }: Props) {
  return (
    <SavedPanel
      title={title}
      aside={<span className="soft">per packet, stages in the order packets pass</span>}
      name={name}
      what="the stages"
      rows={() => stageFile(shown.stages, shown.chain)}
      pictured
    >
      <StageTable {...shown} />
    </SavedPanel>
  );
}
