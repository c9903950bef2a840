// SPDX-License-Identifier: Apache-2.0
/** Suspected alerts stand apart: they are being measured again, and nobody was notified. */
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Alert } from "../../../shared/api/types";
import { AlertList } from "../../../shared/ui/alerts/AlertList";
import { type Done, UndoLine } from "../../../shared/ui/alerts/UndoLine";
import { useCursor } from "../../../shared/ui/hooks/useCursor";
import { useKeys } from "../../../shared/ui/hooks/useKeys";
import { useMay } from "../../../shared/ui/hooks/useSession";
import { CenterState } from "../../../shared/ui/States";
import { BulkBar } from "./BulkBar";
import { useSelection } from "./useSelection";

interface Props {
  project: string;
  alerts: readonly Alert[];
  filtered: boolean;
  reading: boolean;
  /** The server has more. */
  more: boolean;
  onAll: () => void;
  onMore: () => void;
}

export function AlertLists({ project, alerts, filtered, reading, more, onAll, onMore }: Props) {
  const mayTriage = useMay(project, "developer");
  const suspected = alerts.filter((one) => one.state === "new");
  const rest = alerts.filter((one) => one.state !== "new");
  const order = [...rest, ...suspected];
  const cursor = useCursor(order.map((one) => one.id));
  const { chosen, toggle, choose } = useSelection(order);
  const selection = mayTriage ? { chosen, toggle } : undefined;
  const step = (by: 1 | -1) => () => {
    const next = cursor.next(by);
    if (next !== undefined) document.querySelector<HTMLElement>(`[data-alert="${next}"]`)?.focus();
  };
  const [done, setDone] = useState<Done | null>(null);
  const current = order.find((one) => one.id === cursor.current);
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
  const focus = (alert: Alert): void => cursor.set(alert.id);
  return (
    <>
      {undo}
      {rest.length > 0 && (
        <section className="panel" aria-label="Findings">
          <AlertList alerts={rest} label="Findings" onFocus={focus} selection={selection} onEnd={onMore} />
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
            onEnd={rest.length === 0 ? onMore : undefined}
          />
        </section>
      )}
      {(more || reading) && (
        <div className="form-line">
          <Button size="xs" variant="default" loading={reading} onClick={onMore}>
            Show further alerts
          </Button>
        </div>
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
