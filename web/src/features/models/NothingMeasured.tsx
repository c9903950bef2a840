// SPDX-License-Identifier: Apache-2.0
import { Command } from "../../shared/ui/Command";
import { ExperimentsPanel } from "../../shared/ui/experiments/ExperimentsPanel";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { Panel } from "../../shared/ui/Panel";
import { ServerText } from "../../shared/ui/ServerText";
import { CenterState } from "../../shared/ui/States";

interface Props {
  project: string;
  title: string;
  says: string;
}

/** Why a page of models has nothing to show, and the way to the first run. */
export function NothingMeasured({ project, title, says }: Props) {
  return (
    <CenterState icon="clock" title={title}>
      <p>
        <ServerText>{says}</ServerText>
      </p>
      <p className="soft">
        A push to a watched branch is measured by itself. This uploads a run of your own:
      </p>
      <Command text={upload()} />
      <FirstStepsLink project={project} />
    </CenterState>
  );
}

const upload = (more = ""): string =>
  `nalm check${more} --submit --server ${window.location.origin} --token-file FILE`;

/** Panels of the page that have no run yet: what each needs, and the command for it. */
const NEEDED = [
  {
    title: "Answer at a load",
    needs: "Needs any run with cycles per packet. The rates of lcores alone give a speedup at the desk:",
    command: () => "nalm model speedup --rates 1=2.1M,2=3.7M,4=5.9M",
  },
  {
    title: "Roles",
    needs: "Needs the run of a scenario whose execution model is a pipeline:",
    command: () => upload(" --scenario PIPELINE"),
  },
  {
    title: "Capacity by resource",
    needs: "Needs a run with simulated caches, of a host whose supply was measured before it:",
    command: () => "nalm doctor",
  },
  {
    title: "Cache lines",
    needs: "Needs a run whose host tells the size of its caches. At the desk:",
    command: () => "nalm model lines --cache 48K --packets 512",
  },
] as const;

/** What each panel of predictions needs, and those experiments that need no run. */
export function NeededForPredictions({ project }: { project: string }) {
  return (
    <>
      <div className="panel-grid spaced">
        {NEEDED.map(({ title, needs, command }) => (
          <Panel key={title} title={title}>
            <p className="soft">{needs}</p>
            <Command text={command()} />
          </Panel>
        ))}
      </div>
      <div className="panel-grid spaced">
        <ExperimentsPanel project={project} kind="cores" />
        <ExperimentsPanel project={project} kind="roles" />
        <ExperimentsPanel project={project} kind="queue" />
        <ExperimentsPanel project={project} kind="flows" />
      </div>
    </>
  );
}
