// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import type { Notification } from "../../../shared/api/types";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { tellAgain } from "./notifications";

const STATE_WORDS: Record<Notification["state"], string> = {
  waiting: "waits",
  sending: "under way",
  sent: "sent",
  failed: "failed",
  unsure: "perhaps sent",
};

interface Props {
  project: string;
  reported: readonly Notification[];
}

/** What was told lately, to whom, and why it could not be; each can be sent again. */
export function NotificationTable({ project, reported }: Props) {
  const again = useAction((number: number) => tellAgain(project, number), { renews: ["notifications"] });
  if (reported.length === 0) return <p className="soft">No notifications yet.</p>;
  return (
    <>
      <ScrollTable label="Notifications, newest first">
        <thead>
          <tr>
            <th className="left">When</th>
            <th className="left">To</th>
            <th className="left">What</th>
            <th className="left">State</th>
            <th>Send it</th>
          </tr>
        </thead>
        <tbody>
          {reported.map((one) => (
            <tr key={one.id}>
              <th scope="row" className="left">
                {moment(one.created_at)}
              </th>
              <td className="left">{one.integration}</td>
              <td className="left wrap">
                {one.kind}: {one.subject}
              </td>
              <td className={`left wrap${one.state === "failed" ? " worse" : ""}`}>
                {STATE_WORDS[one.state]}
                {one.tries > 1 && `, try ${one.tries}`}
                {one.last_error && <span className="under">{one.last_error}</span>}
              </td>
              <td>
                {one.state !== "waiting" && one.state !== "sending" && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Again: send notification ${one.id}`}
                    loading={again.isPending && again.variables === one.id}
                    onClick={() => again.mutate(one.id)}
                  >
                    Again
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <ActionError error={again.error} />
    </>
  );
}
