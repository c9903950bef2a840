// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Delivery } from "../../../shared/api/types";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { redeliver } from "./deliveries";

interface Props {
  project: string;
  deliveries: readonly Delivery[];
}

/** What forges sent lately and what became of it; one whose body is kept can be worked on again. */
export function DeliveryTable({ project, deliveries }: Props) {
  const again = useAction((number: number) => redeliver(project, number), { renews: ["deliveries"] });
  if (deliveries.length === 0)
    return <p className="soft">No deliveries yet. The webhook page of the forge can send a test delivery.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Recent deliveries">
        <table className="table">
          <thead>
            <tr>
              <th className="left">Received</th>
              <th className="left">Event</th>
              <th className="left">Result</th>
              <th className="left">Why</th>
              <th className="left">Jobs</th>
              <th>Processing</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((one) => (
              <tr key={one.id}>
                <th scope="row">{moment(one.received_at)}</th>
                <td className="left">
                  {one.event} <span className="soft">{one.forge}</span>
                </td>
                <td className={`left${one.status === "failed" ? " worse" : ""}`}>{one.status}</td>
                <td className="left wrap">{one.reason}</td>
                <td className="left wrap-some">
                  <Jobs ids={one.job_ids} />
                </td>
                <td>
                  {one.kept && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Redeliver delivery ${one.id}`}
                      loading={again.isPending && again.variables === one.id}
                      onClick={() => again.mutate(one.id)}
                    >
                      Redeliver
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <ActionError error={again.error} />
    </>
  );
}

function Jobs({ ids }: { ids: readonly number[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ", "}
      <Link to="/jobs/$jobId" params={{ jobId: String(id) }}>
        {id}
      </Link>
    </span>
  ));
}
