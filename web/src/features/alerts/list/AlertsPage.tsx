// SPDX-License-Identifier: Apache-2.0
/** A project's findings, one for each commit, the most severe first. */
import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { alertFacetsQuery, alertPagesQuery, mutesQuery } from "../../../shared/api/alerts";
import { scenariosQuery } from "../../../shared/api/queries";
import { chosenStates, toggledState } from "../../../shared/logic/alerts";
import { counted } from "../../../shared/logic/overview";
import { MuteList } from "../../../shared/ui/alerts/MuteList";
import { useMay } from "../../../shared/ui/hooks/useSession";
import { useTitle } from "../../../shared/ui/hooks/useTitle";
import { PageHead } from "../../../shared/ui/PageHead";
import { Panel } from "../../../shared/ui/Panel";
import { Failed, Loading } from "../../../shared/ui/States";
import { rememberSearch } from "../lastSearch";
import { MuteForm } from "../MuteForm";
import { type AlertsSearch, ageBounds } from "../search";
import { AlertFilters } from "./AlertFilters";
import { AlertLists } from "./AlertLists";
import { AlertStateFilter } from "./AlertStateFilter";

const route = getRouteApi("/p/$project/alerts");

export function AlertsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/alerts" });
  const [opened] = useState(Date.now);
  const states = chosenStates(search.state);
  const { scenario, assignee, stage, author, q, age } = search;
  const narrowed = { scenario, assignee, stage, author, text: q, ...ageBounds(age, opened) };
  const found = useInfiniteQuery(
    alertPagesQuery(project, { states, ...narrowed, order: search.order ?? "severity" }),
  );
  const { data: facets } = useQuery(alertFacetsQuery(project, { ...narrowed }));
  const { data, error, refetch } = found;
  const { data: mutes = [] } = useQuery(mutesQuery(project));
  useTitle("Alerts", project);
  useEffect(() => rememberSearch(project, search), [project, search]);
  const set = (change: AlertsSearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const alerts = data?.pages.flat();
  const total = facets && states.reduce((sum, state) => sum + (facets.states[state] ?? 0), 0);
  return (
    <>
      <PageHead
        title="Alerts"
        under="One alert for each commit that slowed down or broke something, with everything it changed."
      >
        <Muting project={project} search={search} set={set} />
      </PageHead>
      <AlertFilters project={project} search={search} facets={facets} set={set} />
      <div className="history-legend">
        <AlertStateFilter
          requested={states}
          counts={facets?.states}
          onToggle={(state) => set({ state: toggledState(search.state, state) })}
        />
        <span role="status" className="soft">
          {found.isPlaceholderData ? "Searching…" : total !== undefined && counted(total, "alert")}
        </span>
      </div>
      {alerts === undefined ? (
        error ? (
          <Failed error={error} onRetry={refetch} />
        ) : (
          <Loading rows={5} />
        )
      ) : (
        <AlertLists
          project={project}
          alerts={alerts}
          filtered={Boolean(search.state || scenario || assignee || stage || author || q || age)}
          onAll={() => navigate({ search: { state: "any" } })}
          more={found.hasNextPage}
          onMore={() => {
            if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
          }}
          reading={found.isFetchingNextPage}
        />
      )}
      {mutes.length > 0 && (
        <Panel title="Active mutes">
          <MuteList project={project} mutes={mutes} />
        </Panel>
      )}
    </>
  );
}

interface MutingProps {
  project: string;
  search: AlertsSearch;
  set: (change: AlertsSearch) => void;
}

function Muting({ project, search, set }: MutingProps) {
  const { data: scenarios = [] } = useQuery(scenariosQuery(project));
  const mayMute = useMay(project, "developer");
  const muting = search.do === "mute";
  if (!mayMute) return null;
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => set({ do: "mute" })}>
        Mute…
      </Button>
      <Modal
        opened={muting}
        onClose={() => set({ do: undefined })}
        title="Mute a scenario"
        closeButtonProps={{ "aria-label": "Close" }}
        attributes={{ header: { role: "presentation" } }}
      >
        <MuteForm
          project={project}
          scenarios={scenarios.map((one) => one.name)}
          onDone={() => set({ do: undefined })}
        />
      </Modal>
    </>
  );
}
