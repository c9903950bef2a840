// SPDX-License-Identifier: Apache-2.0
/** What each part of a project's settings shows. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { mutesQuery } from "../api/alerts";
import { deliveriesQuery } from "../api/deliveries";
import { notificationsQuery } from "../api/notifications";
import { projectQuery } from "../api/queries";
import { expectationsQuery, floorsQuery } from "../api/rules";
import { schedulesQuery } from "../api/schedules";
import { integrationsQuery, peopleQuery, retentionQuery, watchingQuery } from "../api/settings";
import { addProjectToken, projectTokensQuery, revokeProjectToken } from "../api/tokens";
import type { ProjectTokenNew } from "../api/types";
import { fileName } from "../logic/csv";
import type { SettingsPart as Name } from "../logic/search";
import {
  deliveriesFile,
  expectationsFile,
  floorsFile,
  notificationsFile,
  peopleFile,
  tokensFile,
} from "../logic/settingsFiles";
import { AuditPanel } from "./AuditPanel";
import { DeliveryTable } from "./DeliveryTable";
import { ExpectationTable } from "./ExpectationTable";
import { ExportLinks } from "./ExportLinks";
import { FeedForm } from "./FeedForm";
import { FloorTable } from "./FloorTable";
import { IntegrationForm } from "./IntegrationForm";
import { IntegrationList } from "./IntegrationList";
import { MuteList } from "./MuteList";
import { NotificationTable } from "./NotificationTable";
import { Panel } from "./Panel";
import { PeoplePanel } from "./PeoplePanel";
import { ProjectForm } from "./ProjectForm";
import { ProjectPool } from "./ProjectPool";
import { ProjectPublic } from "./ProjectPublic";
import { ReadTokenForm } from "./ReadTokenForm";
import { RetentionForm } from "./RetentionForm";
import { ScheduleForm } from "./ScheduleForm";
import { ScheduleList } from "./ScheduleList";
import { SettingsPart } from "./SettingsPart";
import { TokenList } from "./TokenList";
import { useSession } from "./useSession";
import { WatchingForm } from "./WatchingForm";
import { WebhookPanel } from "./WebhookPanel";

type Of = { project: string };

function ProjectPart({ project }: Of) {
  const administrator = useSession()?.administrator ?? false;
  return (
    <>
      <SettingsPart title="Who may read" query={projectQuery(project)}>
        {(about) => <ProjectPublic project={project} value={about.public} />}
      </SettingsPart>
      <SettingsPart title="Name and repository" query={projectQuery(project)}>
        {(about) => <ProjectForm key={about.name} about={about} />}
      </SettingsPart>
      {administrator && <ProjectPool project={project} />}
    </>
  );
}

function RepositoryPart({ project }: Of) {
  return (
    <>
      <SettingsPart title="Webhook" query={watchingQuery(project)}>
        {(now) => <WebhookPanel project={project} now={now} />}
      </SettingsPart>
      <SettingsPart
        title="Deliveries"
        query={deliveriesQuery(project)}
        saved={{ name: fileName(project, "deliveries"), what: "the deliveries", rows: deliveriesFile }}
      >
        {(deliveries) => <DeliveryTable project={project} deliveries={deliveries} />}
      </SettingsPart>
      <SettingsPart title="Read token" query={watchingQuery(project)}>
        {(now) => <ReadTokenForm project={project} has={now.has_read_token} />}
      </SettingsPart>
      <SettingsPart title="What is measured" query={watchingQuery(project)}>
        {(now) => <WatchingForm project={project} now={now} />}
      </SettingsPart>
      <SettingsPart title="Schedules" query={schedulesQuery(project)}>
        {(schedules) => (
          <>
            <ScheduleList project={project} of={schedules} />
            <ScheduleForm project={project} />
          </>
        )}
      </SettingsPart>
    </>
  );
}

function TellingPart({ project }: Of) {
  return (
    <>
      <SettingsPart title="Where results are told" query={integrationsQuery(project)}>
        {(of) => (
          <>
            <IntegrationList project={project} of={of} />
            <details className="adder">
              <summary>Add one</summary>
              <IntegrationForm project={project} />
            </details>
          </>
        )}
      </SettingsPart>
      <SettingsPart
        title="Told lately"
        query={notificationsQuery(project)}
        saved={{ name: fileName(project, "notifications"), what: "what was told", rows: notificationsFile }}
      >
        {(told) => <NotificationTable project={project} told={told} />}
      </SettingsPart>
      <Panel title="Feed">
        <FeedForm project={project} />
      </Panel>
    </>
  );
}

function JudgingPart({ project }: Of) {
  return (
    <>
      <SettingsPart title="Muted now" query={mutesQuery(project)}>
        {(mutes) =>
          mutes.length > 0 ? (
            <MuteList project={project} mutes={mutes} />
          ) : (
            <p className="soft">
              Nothing is muted. The page of the{" "}
              <Link to="/p/$project/alerts" params={{ project }}>
                alerts
              </Link>{" "}
              has the button.
            </p>
          )
        }
      </SettingsPart>
      <SettingsPart
        title="Changes that were declared"
        query={expectationsQuery(project)}
        saved={{ name: fileName(project, "expectations"), what: "what was declared", rows: expectationsFile }}
      >
        {(of) => <ExpectationTable project={project} of={of} />}
      </SettingsPart>
      <SettingsPart
        title="Noise that false alarms taught"
        query={floorsQuery(project)}
        saved={{ name: fileName(project, "noise"), what: "what false alarms taught", rows: floorsFile }}
      >
        {(floors) => <FloorTable project={project} floors={floors} />}
      </SettingsPart>
    </>
  );
}

function AccessPart({ project }: Of) {
  return (
    <>
      <SettingsPart
        title="People"
        query={peopleQuery(project)}
        saved={{ name: fileName(project, "people"), what: "the people", rows: peopleFile }}
      >
        {(people) => <PeoplePanel project={project} people={people} />}
      </SettingsPart>
      <SettingsPart
        title="Tokens of the project"
        query={projectTokensQuery(project)}
        saved={{ name: fileName(project, "tokens"), what: "the tokens", rows: tokensFile }}
      >
        {(tokens) => (
          <TokenList
            tokens={tokens}
            scopes={["upload", "read", "measure"]}
            onAdd={(one) =>
              addProjectToken(project, { ...one, scope: one.scope as ProjectTokenNew["scope"] })
            }
            onRevoke={(id) => revokeProjectToken(project, id)}
          />
        )}
      </SettingsPart>
    </>
  );
}

function StoragePart({ project }: Of) {
  return (
    <>
      <SettingsPart title="How long it is kept" query={retentionQuery(project)}>
        {(now) => <RetentionForm project={project} now={now} />}
      </SettingsPart>
      <Panel title="Take it out">
        <ExportLinks project={project} />
      </Panel>
    </>
  );
}

export const SETTINGS_PANELS: Record<Name, (of: Of) => ReactNode> = {
  project: ProjectPart,
  repository: RepositoryPart,
  telling: TellingPart,
  judging: JudgingPart,
  access: AccessPart,
  storage: StoragePart,
  audit: ({ project }) => <AuditPanel project={project} />,
};
