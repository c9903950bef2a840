// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Floor } from "../../../shared/api/types";
import { share } from "../../../shared/logic/hosts";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { MetricName } from "../../../shared/ui/Help";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { forgetFloor } from "./rules";

interface Props {
  project: string;
  floors: readonly Floor[];
}

/** Up to which size a series moves without a reason; fades with time, and can be forgotten. */
export function NoiseFloorTable({ project, floors }: Props) {
  const forget = useAction((number: number) => forgetFloor(project, number), { renews: ["floors"] });
  if (floors.length === 0)
    return (
      <p className="soft">No noise floors. Marking an alert as a false alarm sets one for its series.</p>
    );
  return (
    <>
      <ScrollTable label="Noise by series">
        <thead>
          <tr>
            <th className="left">Scenario</th>
            <th className="left">Stage</th>
            <th className="left">Metric</th>
            <th className="left">Host class</th>
            <th>Moves up to</th>
            <th>Set</th>
            <th className="left">By</th>
            <th>Forget</th>
          </tr>
        </thead>
        <tbody>
          {floors.map((one) => (
            <tr key={one.id}>
              <th scope="row" className="left">
                {one.scenario}
              </th>
              <td className="left">{one.stage}</td>
              <td className="left">
                <MetricName name={one.metric} />
              </td>
              <td className="left">{one.host_class}</td>
              <td className="number">{share(Math.expm1(one.left))}</td>
              <td className="number">{share(Math.expm1(one.size))}</td>
              <td className="left">
                {one.who}, {moment(one.set_at)}
                {one.alert_id !== null && (
                  <span className="under">
                    at{" "}
                    <Link to="/p/$project/alerts/$id" params={{ project, id: String(one.alert_id) }}>
                      alert {one.alert_id}
                    </Link>
                  </span>
                )}
              </td>
              <td>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Forget the noise of ${one.scenario}, ${one.stage}`}
                  loading={forget.isPending && forget.variables === one.id}
                  onClick={() => forget.mutate(one.id)}
                >
                  Forget
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <ActionError error={forget.error} />
    </>
  );
}
