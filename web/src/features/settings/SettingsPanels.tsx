// SPDX-License-Identifier: Apache-2.0
/** What each part of a project's settings shows. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { mutesQuery } from "../../shared/api/alerts";
import { projectQuery } from "../../shared/api/queries";
import { addProjectToken, projectTokensQuery, revokeProjectToken } from "../../shared/api/tokens";
import type { ProjectTokenNew } from "../../shared/api/types";
import { fileName } from "../../shared/logic/text/csv";
import { MuteList } from "../../shared/ui/alerts/MuteList";
import { useSession } from "../../shared/ui/hooks/useSession";
import { Panel } from "../../shared/ui/Panel";
import { SettingsPart } from "../../shared/ui/SettingsPart";
import { TokenList } from "../../shared/ui/TokenList";
import { AuditPanel } from "./access/AuditPanel";
import { PeoplePanel } from "./access/PeoplePanel";
import { ReadTokenForm } from "./access/ReadTokenForm";
import {
  branchFiltersQuery,
  configurationQuery,
  integrationsQuery,
  peopleQuery,
  retentionQuery,
} from "./api";
import {
  deliveriesFile,
  expectationsFile,
  floorsFile,
  notificationsFile,
  peopleFile,
  tokensFile,
} from "./files";
import { ExpectationTable } from "./judgement/ExpectationTable";
import { LinksPlanForm } from "./judgement/LinksPlanForm";
import { NoiseFloorTable } from "./judgement/NoiseFloorTable";
import { RefinementPlanForm } from "./judgement/RefinementPlanForm";
import { expectationsQuery, floorsQuery, linksPlanQuery, refinementPlanQuery } from "./judgement/rules";
import { FeedForm } from "./notifications/FeedForm";
import { IntegrationForm } from "./notifications/IntegrationForm";
import { IntegrationList } from "./notifications/IntegrationList";
import { NotificationTable } from "./notifications/NotificationTable";
import { notificationsQuery } from "./notifications/notifications";
import { ExportLinks } from "./project/ExportLinks";
import { ProjectForm } from "./project/ProjectForm";
import { ProjectPool } from "./project/ProjectPool";
import { ProjectPublic } from "./project/ProjectPublic";
import { RetentionForm } from "./project/RetentionForm";
import { BranchFilterForm } from "./repository/BranchFilterForm";
import { ConfigurationForm } from "./repository/ConfigurationForm";
import { DeliveryTable } from "./repository/DeliveryTable";
import { deliveriesQuery } from "./repository/deliveries";
import { ScheduleForm } from "./repository/ScheduleForm";
import { ScheduleList } from "./repository/ScheduleList";
import { schedulesQuery } from "./repository/schedules";
import { WebhookPanel } from "./repository/WebhookPanel";
import type { SettingsPart as Name } from "./search";

type Of = { project: string };

function ProjectPart({ project }: Of) {
  const administrator = useSession()?.administrator ?? false;
  return (
    <>
      <SettingsPart title="Visibility" query={projectQuery(project)}>
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
      <SettingsPart title="Webhook" query={branchFiltersQuery(project)}>
        {(now) => <WebhookPanel project={project} now={now} />}
      </SettingsPart>
      <SettingsPart
        title="Deliveries"
        query={deliveriesQuery(project)}
        saved={{ name: fileName(project, "deliveries"), what: "the deliveries", rows: deliveriesFile }}
      >
        {(deliveries) => <DeliveryTable project={project} deliveries={deliveries} />}
      </SettingsPart>
      <SettingsPart title="Read token" query={branchFiltersQuery(project)}>
        {(now) => <ReadTokenForm project={project} has={now.has_read_token} />}
      </SettingsPart>
      <SettingsPart title="Measured commits" query={branchFiltersQuery(project)}>
        {(now) => <BranchFilterForm project={project} now={now} />}
      </SettingsPart>
      <SettingsPart title="Configuration of all commits" query={configurationQuery(project)}>
        {(now) => <ConfigurationForm project={project} now={now} />}
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

function NotificationsPart({ project }: Of) {
  return (
    <>
      <SettingsPart title="Integrations" query={integrationsQuery(project)}>
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
        title="Recent notifications"
        query={notificationsQuery(project)}
        saved={{
          name: fileName(project, "notifications"),
          what: "the notifications",
          rows: notificationsFile,
        }}
      >
        {(reported) => <NotificationTable project={project} reported={reported} />}
      </SettingsPart>
      <Panel title="Feed">
        <FeedForm project={project} />
      </Panel>
    </>
  );
}

function JudgementPart({ project }: Of) {
  return (
    <>
      <SettingsPart title="Active mutes" query={mutesQuery(project)}>
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
        title="Declared changes"
        query={expectationsQuery(project)}
        saved={{
          name: fileName(project, "expectations"),
          what: "the declared changes",
          rows: expectationsFile,
        }}
      >
        {(of) => <ExpectationTable project={project} of={of} />}
      </SettingsPart>
      <SettingsPart
        title="Noise floors from false alarms"
        query={floorsQuery(project)}
        saved={{ name: fileName(project, "noise"), what: "the noise floors", rows: floorsFile }}
      >
        {(floors) => <NoiseFloorTable project={project} floors={floors} />}
      </SettingsPart>
      <SettingsPart title="Comparisons over distances" query={linksPlanQuery(project)}>
        {(now) => <LinksPlanForm project={project} now={now} />}
      </SettingsPart>
      <SettingsPart title="Finer margins" query={refinementPlanQuery(project)}>
        {(now) => <RefinementPlanForm project={project} now={now} />}
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
      <SettingsPart title="Retention" query={retentionQuery(project)}>
        {(now) => <RetentionForm project={project} now={now} />}
      </SettingsPart>
      <Panel title="Export">
        <ExportLinks project={project} />
      </Panel>
    </>
  );
}

export const SETTINGS_PANELS: Record<Name, (of: Of) => ReactNode> = {
  project: ProjectPart,
  repository: RepositoryPart,
  notifications: NotificationsPart,
  judgement: JudgementPart,
  access: AccessPart,
  storage: StoragePart,
  audit: ({ project }) => <AuditPanel project={project} />,
};
