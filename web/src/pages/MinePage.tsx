// SPDX-License-Identifier: Apache-2.0
/** Alerts of all projects that the watches of the one signed in find, and the watches. */
import { useQuery } from "@tanstack/react-query";
import { myAlertsQuery, watchesQuery } from "../api/mine";
import { AlertList } from "../components/AlertList";
import { NotForYou } from "../components/NotForYou";
import { PageHead } from "../components/PageHead";
import { SettingsPart } from "../components/SettingsPart";
import { CenterState, Failed, Loading } from "../components/States";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import { WatchList } from "../components/WatchList";

export function MinePage() {
  useTitle("My alerts");
  const session = useSession();
  return (
    <>
      <PageHead
        title="My alerts"
        under="Open alerts of all projects you may read, as far as your watch list asks for them."
      />
      {session === undefined && <Loading />}
      {session?.name === null && <NotForYou title="Sign in to watch alerts" advice="" />}
      {session?.name && (
        <>
          <Found />
          <SettingsPart title="Watch list" query={watchesQuery()}>
            {(watches) => <WatchList watches={watches} />}
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
        <p>No open alert fits your watch list below.</p>
      </CenterState>
    );
  return (
    <section className="panel">
      <AlertList alerts={alerts} label="Alerts that your watches find" projects />
    </section>
  );
}
