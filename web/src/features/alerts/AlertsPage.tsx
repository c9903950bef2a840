// SPDX-License-Identifier: Apache-2.0
/** A project's findings, one for each commit, the most severe first. */
import { Button, Modal, SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { alertsQuery, mutesQuery } from "../../shared/api/alerts";
import { scenariosQuery } from "../../shared/api/queries";
import type { Alert } from "../../shared/api/types";
import { chosenStates, toggledState } from "../../shared/logic/alerts";
import { moved } from "../../shared/logic/keyboard";
import { AlertList } from "../../shared/ui/alerts/AlertList";
import { MuteList } from "../../shared/ui/alerts/MuteList";
import { useKeys } from "../../shared/ui/hooks/useKeys";
import { useMay, useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { AlertStateFilter } from "./AlertStateFilter";
import { MuteForm } from "./MuteForm";
import type { AlertsSearch } from "./search";

const route = getRouteApi("/p/$project/alerts");
const ORDERS = [
  { value: "severity", label: "By severity" },
  { value: "new", label: "Newest" },
];

export function AlertsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/alerts" });
  const states = chosenStates(search.state);
  const { scenario, assignee, order } = search;
  const {
    data: alerts,
    error,
    refetch,
  } = useQuery(alertsQuery(project, { states, scenario, assignee, order: order ?? "severity" }));
  const { data: mutes = [] } = useQuery(mutesQuery(project));
  useTitle("Alerts", project);
  const set = (change: AlertsSearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  return (
    <>
      <PageHead
        title="Alerts"
        under="One alert for each commit that slowed down or broke something, with everything it changed."
      >
        <Controls project={project} search={search} alerts={alerts ?? []} set={set} />
      </PageHead>
      <div className="history-legend">
        <AlertStateFilter
          wanted={states}
          onToggle={(state) => set({ state: toggledState(search.state, state) })}
        />
      </div>
      {alerts === undefined ? (
        error ? (
          <Failed error={error} onRetry={refetch} />
        ) : (
          <Loading rows={5} />
        )
      ) : (
        <Lists
          alerts={alerts}
          filtered={Boolean(search.state || scenario || assignee)}
          onAll={() => navigate({ search: { state: "any" } })}
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

interface ControlsProps {
  project: string;
  search: AlertsSearch;
  alerts: readonly Alert[];
  set: (change: AlertsSearch) => void;
}

function Controls({ project, search, alerts, set }: ControlsProps) {
  const { data: scenarios = [] } = useQuery(scenariosQuery(project));
  const me = useSession()?.name ?? null;
  const mayMute = useMay(project, "developer");
  const navigate = useNavigate({ from: "/p/$project/alerts" });
  const muting = search.do === "mute";
  const names = scenarios.map((one) => one.name);
  const people = [...new Set([me, search.assignee, ...alerts.map((one) => one.assignee)])].filter(
    (one): one is string => typeof one === "string",
  );
  return (
    <>
      {names.length > 1 && (
        <Select
          label="Scenario"
          placeholder="All"
          clearable
          size="xs"
          data={names}
          value={search.scenario ?? null}
          onChange={(next) => set({ scenario: next ?? undefined })}
        />
      )}
      {people.length > 0 && (
        <Select
          label="Assigned to"
          placeholder="Anybody"
          clearable
          size="xs"
          data={people}
          value={search.assignee ?? null}
          onChange={(next) => set({ assignee: next ?? undefined })}
        />
      )}
      <SegmentedControl
        aria-label="Order"
        size="xs"
        data={ORDERS}
        value={search.order ?? "severity"}
        onChange={(next) => set({ order: next === "new" ? "new" : undefined })}
      />
      {mayMute && (
        <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => set({ do: "mute" })}>
          Mute…
        </Button>
      )}
      <Modal
        opened={muting && mayMute}
        onClose={() => set({ do: undefined })}
        title="Mute a scenario"
        closeButtonProps={{ "aria-label": "Close" }}
        attributes={{ header: { role: "presentation" } }}
      >
        <MuteForm
          project={project}
          scenarios={names}
          onDone={() => navigate({ search: (old) => ({ ...old, do: undefined }), replace: true })}
        />
      </Modal>
    </>
  );
}

interface ListsProps {
  alerts: readonly Alert[];
  filtered: boolean;
  onAll: () => void;
}

/** Suspected ones stand apart: they are being measured again, and nobody was told. */
function Lists({ alerts, filtered, onAll }: ListsProps) {
  const [cursor, setCursor] = useState(-1);
  const suspected = alerts.filter((one) => one.state === "new");
  const rest = alerts.filter((one) => one.state !== "new");
  const order = [...rest, ...suspected];
  const step = (by: 1 | -1) => () => {
    const next = order[moved(cursor, by, order.length)];
    if (next) document.querySelector<HTMLElement>(`[data-alert="${next.id}"]`)?.focus();
  };
  useKeys({ j: step(1), k: step(-1) });
  if (alerts.length === 0) return <Nothing filtered={filtered} onAll={onAll} />;
  const focus = (alert: Alert): void => setCursor(order.indexOf(alert));
  return (
    <>
      {rest.length > 0 && (
        <section className="panel" aria-label="Findings">
          <AlertList alerts={rest} label="Findings" onFocus={focus} />
        </section>
      )}
      {suspected.length > 0 && (
        <section className="panel" aria-labelledby="suspected">
          <div className="panel-head list-head">
            <h2 id="suspected">Suspected</h2>
            <span className="soft">not confirmed; nobody was told</span>
          </div>
          <AlertList alerts={suspected} label="Suspected" onFocus={focus} />
        </section>
      )}
    </>
  );
}

function Nothing({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  return (
    <CenterState icon="check" title={filtered ? "No such alert" : "No open alerts"}>
      <p>
        {filtered
          ? "No alert is of these states, this scenario and this person."
          : "No alert is open. New alerts appear here."}
      </p>
      <Button size="xs" variant="default" onClick={onAll}>
        Show all alerts
      </Button>
    </CenterState>
  );
}
