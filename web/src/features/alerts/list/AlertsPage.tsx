// SPDX-License-Identifier: Apache-2.0
/** A project's findings, one for each commit, the most severe first. */
import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { alertFacetsQuery, alertPagesQuery, mutesQuery } from "../../../shared/api/alerts";
import { scenariosQuery } from "../../../shared/api/queries";
import type { Alert } from "../../../shared/api/types";
import { chosenStates, toggledState } from "../../../shared/logic/alerts";
import { moved } from "../../../shared/logic/keyboard";
import { counted } from "../../../shared/logic/overview";
import { AlertList } from "../../../shared/ui/alerts/AlertList";
import { MuteList } from "../../../shared/ui/alerts/MuteList";
import { type Done, UndoLine } from "../../../shared/ui/alerts/UndoLine";
import { useKeys } from "../../../shared/ui/hooks/useKeys";
import { useNow } from "../../../shared/ui/hooks/useNow";
import { useMay } from "../../../shared/ui/hooks/useSession";
import { useTitle } from "../../../shared/ui/hooks/useTitle";
import { PageHead } from "../../../shared/ui/PageHead";
import { Panel } from "../../../shared/ui/Panel";
import { CenterState, Failed, Loading } from "../../../shared/ui/States";
import { MuteForm } from "../MuteForm";
import { type AlertsSearch, ageBounds } from "../search";
import { AlertFilters } from "./AlertFilters";
import { AlertStateFilter } from "./AlertStateFilter";
import { BulkBar } from "./BulkBar";
import { useSelection } from "./useSelection";

const route = getRouteApi("/p/$project/alerts");

export function AlertsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/alerts" });
  const opened = useNow();
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
        <Lists
          project={project}
          alerts={alerts}
          filtered={Boolean(search.state || scenario || assignee || stage || author || q || age)}
          onAll={() => navigate({ search: { state: "any" } })}
          onEnd={() => {
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

interface ListsProps {
  project: string;
  alerts: readonly Alert[];
  filtered: boolean;
  reading: boolean;
  onAll: () => void;
  onEnd: () => void;
}

/** Suspected ones stand apart: they are being measured again, and nobody was notified. */
function Lists({ project, alerts, filtered, reading, onAll, onEnd }: ListsProps) {
  const [cursor, setCursor] = useState(-1);
  const mayTriage = useMay(project, "developer");
  const suspected = alerts.filter((one) => one.state === "new");
  const rest = alerts.filter((one) => one.state !== "new");
  const order = [...rest, ...suspected];
  const { chosen, toggle, choose } = useSelection(order);
  const selection = mayTriage ? { chosen, toggle } : undefined;
  const step = (by: 1 | -1) => () => {
    const next = order[moved(cursor, by, order.length)];
    if (next) document.querySelector<HTMLElement>(`[data-alert="${next.id}"]`)?.focus();
  };
  const [done, setDone] = useState<Done | null>(null);
  const current = order[cursor];
  useKeys({
    j: step(1),
    k: step(-1),
    x: () => current && mayTriage && toggle(current, false),
    Escape: () => choose([]),
  });
  const undo = done && (
    <UndoLine key={done.alerts.join()} project={project} done={done} onUndone={() => setDone(null)} />
  );
  if (alerts.length === 0)
    return (
      <>
        {undo}
        <Nothing filtered={filtered} onAll={onAll} />
      </>
    );
  const focus = (alert: Alert): void => setCursor(order.indexOf(alert));
  return (
    <>
      {undo}
      {rest.length > 0 && (
        <section className="panel" aria-label="Findings">
          <AlertList alerts={rest} label="Findings" onFocus={focus} selection={selection} onEnd={onEnd} />
        </section>
      )}
      {suspected.length > 0 && (
        <section className="panel" aria-labelledby="suspected">
          <div className="panel-head list-head">
            <h2 id="suspected">Suspected</h2>
            <span className="soft">not confirmed; nobody was notified</span>
          </div>
          <AlertList
            alerts={suspected}
            label="Suspected"
            onFocus={focus}
            selection={selection}
            onEnd={rest.length === 0 ? onEnd : undefined}
          />
        </section>
      )}
      <span role="status" className="soft">
        {reading ? "Reading further alerts…" : ""}
      </span>
      {mayTriage && chosen.size > 0 && (
        <BulkBar
          project={project}
          chosen={order.filter((one) => chosen.has(one.id))}
          shown={order.length}
          onAll={() => choose(order)}
          onNone={() => choose([])}
          onDone={setDone}
        />
      )}
    </>
  );
}

function Nothing({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  return (
    <CenterState icon="check" title={filtered ? "No such alert" : "No open alerts"}>
      <p>
        {filtered ? "No alert matches all of these filters." : "No alert is open. New alerts appear here."}
      </p>
      <Button size="xs" variant="default" onClick={onAll}>
        Show all alerts
      </Button>
    </CenterState>
  );
}
