// SPDX-License-Identifier: Apache-2.0
/** Alerts of all projects that match the subscriptions of who is signed in, and the subscriptions. */
import { useQuery } from "@tanstack/react-query";
import { AlertList } from "../../../shared/ui/alerts/AlertList";
import { useSession } from "../../../shared/ui/hooks/useSession";
import { useTitle } from "../../../shared/ui/hooks/useTitle";
import { NoAccess } from "../../../shared/ui/NoAccess";
import { PageHead } from "../../../shared/ui/PageHead";
import { SettingsPart } from "../../../shared/ui/SettingsPart";
import { CenterState, Failed, Loading } from "../../../shared/ui/States";
import { myAlertsQuery, subscriptionsQuery } from "../api";
import { SubscriptionList } from "./SubscriptionList";

export function MyAlertsPage() {
  useTitle("My alerts");
  const session = useSession();
  return (
    <>
      <PageHead
        title="My alerts"
        under="Open alerts that your subscriptions match, from all projects that you may read."
      />
      {session === undefined && <Loading />}
      {session?.name === null && <NoAccess title="Sign in to subscribe to alerts" advice="" />}
      {session?.name && (
        <>
          <Found />
          <SettingsPart title="Subscriptions" query={subscriptionsQuery()}>
            {(subscriptions) => <SubscriptionList subscriptions={subscriptions} />}
          </SettingsPart>
        </>
      )}
    </>
  );
}

function Found() {
  const { data: alerts, error, refetch } = useQuery(myAlertsQuery());
  if (alerts === undefined) return error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={3} />;
  if (alerts.length === 0)
    return (
      <CenterState icon="check" title="Nothing for you">
        <p>No open alert matches your subscriptions below.</p>
      </CenterState>
    );
  return (
    <section className="panel">
      <AlertList alerts={alerts} label="Alerts that match your subscriptions" projects />
    </section>
  );
}
