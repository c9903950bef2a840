// SPDX-License-Identifier: Apache-2.0
import { Panel } from "../../shared/ui/Panel";

/** Said while no commit is the project's reference. */
export function ReferenceNote({ project }: { project: string }) {
  return (
    <Panel title="No reference yet">
      <p className="soft">
        Prices and NCPP are relative to a reference commit: a release, or any other measured one. A maintainer
        says which it is:
      </p>
      <code className="command spaced">{`nalm-server reference ${project} v1.0`}</code>
    </Panel>
  );
}
