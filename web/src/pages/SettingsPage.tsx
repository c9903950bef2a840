// SPDX-License-Identifier: Apache-2.0
/** What maintainers set of a project. */
import { Switch } from "@mantine/core";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { deliveriesQuery } from "../api/deliveries";
import { projectQuery } from "../api/queries";
import { schedulesQuery } from "../api/schedules";
import { integrationsQuery, peopleQuery, retentionQuery, setProject, watchingQuery } from "../api/settings";
import { addProjectToken, projectTokensQuery, revokeProjectToken } from "../api/tokens";
import type { ProjectTokenNew } from "../api/types";
import { SignInLink } from "../components/AccountMenu";
import { ActionError } from "../components/ActionError";
import { DeliveryTable } from "../components/DeliveryTable";
import { IntegrationForm } from "../components/IntegrationForm";
import { IntegrationList } from "../components/IntegrationList";
import { PageHead } from "../components/PageHead";
import { Panel } from "../components/Panel";
import { PeoplePanel } from "../components/PeoplePanel";
import { ReadTokenForm } from "../components/ReadTokenForm";
import { RetentionForm } from "../components/RetentionForm";
import { ScheduleForm } from "../components/ScheduleForm";
import { ScheduleList } from "../components/ScheduleList";
import { CenterState, Failed, Loading } from "../components/States";
import { TokenList } from "../components/TokenList";
import { useAction } from "../components/useAction";
import { useMay, useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import { WatchingForm } from "../components/WatchingForm";
import { WebhookPanel } from "../components/WebhookPanel";

const route = getRouteApi("/p/$project/settings");

export function SettingsPage() {
  const { project } = route.useParams();
  const session = useSession();
  const allowed = useMay(project, "maintainer");
  useTitle("Settings", project);
  return (
    <>
      <PageHead title="Settings" />
      {session === undefined && <Loading />}
      {session !== undefined && !allowed && (
        <CenterState icon="help" title="This is for maintainers of the project">
          {session.name === null ? (
            <SignInLink />
          ) : (
            <p>Ask one of them, or an administrator, for the role.</p>
          )}
        </CenterState>
      )}
      {allowed && <Panels project={project} />}
    </>
  );
}

function Panels({ project }: { project: string }) {
  return (
    <>
      <Part title="Who may read" query={projectQuery(project)}>
        {(about) => <Public project={project} value={about.public} />}
      </Part>
      <Part title="Webhook" query={watchingQuery(project)}>
        {(now) => <WebhookPanel project={project} now={now} />}
      </Part>
      <Part title="Deliveries" query={deliveriesQuery(project)}>
        {(deliveries) => <DeliveryTable project={project} deliveries={deliveries} />}
      </Part>
      <Part title="Read token" query={watchingQuery(project)}>
        {(now) => <ReadTokenForm project={project} has={now.has_read_token} />}
      </Part>
      <Part title="What is measured" query={watchingQuery(project)}>
        {(now) => <WatchingForm project={project} now={now} />}
      </Part>
      <Part title="Schedules" query={schedulesQuery(project)}>
        {(schedules) => (
          <>
            <ScheduleList project={project} of={schedules} />
            <ScheduleForm project={project} />
          </>
        )}
      </Part>
      <Part title="People" query={peopleQuery(project)}>
        {(people) => <PeoplePanel project={project} people={people} />}
      </Part>
      <Part title="Where results are told" query={integrationsQuery(project)}>
        {(of) => (
          <>
            <IntegrationList project={project} of={of} />
            <details className="adder">
              <summary>Add one</summary>
              <IntegrationForm project={project} />
            </details>
          </>
        )}
      </Part>
      <Part title="Tokens of the project" query={projectTokensQuery(project)}>
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
      </Part>
      <Part title="How long it is kept" query={retentionQuery(project)}>
        {(now) => <RetentionForm project={project} now={now} />}
      </Part>
    </>
  );
}

interface PartProps<T, K extends readonly unknown[]> {
  title: string;
  query: UseQueryOptions<T, Error, T, K>;
  children: (data: T) => ReactNode;
}

function Part<T, K extends readonly unknown[]>({ title, query, children }: PartProps<T, K>) {
  const { data, error, refetch } = useQuery(query);
  return (
    <Panel title={title}>
      {data !== undefined ? (
        children(data)
      ) : error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading rows={2} />
      )}
    </Panel>
  );
}

function Public({ project, value }: { project: string; value: boolean }) {
  const change = useAction((wanted: boolean) => setProject(project, { public: wanted }), {
    renews: ["project", "projects"],
  });
  return (
    <>
      <Switch
        label="Anybody may read it, signed in or not"
        checked={value}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <ActionError error={change.error} />
    </>
  );
}
