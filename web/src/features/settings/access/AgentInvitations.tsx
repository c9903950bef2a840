// SPDX-License-Identifier: Apache-2.0
/** One-time tokens for the agents of new bench hosts, and those that wait to be used. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { agentInvitationsQuery, withdrawInvitation } from "../../../shared/api/administration";
import { moment } from "../../../shared/logic/text/format";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useNow } from "../../../shared/ui/hooks/useNow";
import { InviteAgent } from "../../../shared/ui/InviteAgent";
import { Rows } from "../../../shared/ui/lists/Rows";
import { FailedPart, Loading } from "../../../shared/ui/States";

export function AgentInvitations() {
  const { data, error, refetch } = useQuery(agentInvitationsQuery());
  const now = useNow();
  const withdraw = useAction(withdrawInvitation, { renews: ["invitations"] });
  if (data === undefined)
    return error ? <FailedPart error={error} onRetry={refetch} /> : <Loading rows={2} />;
  const waiting = data.filter((one) => one.used_at === null && Date.parse(one.expires_at) > now);
  return (
    <>
      {waiting.length === 0 && <p className="soft">No invitation waits to be used.</p>}
      <Rows>
        {waiting.map((one) => (
          <li key={one.id} className="row">
            <span className="row-main">
              {one.name ?? "Any new host"} <span className="tag">{one.pool}</span>
              <span className="below">
                by {one.created_by}, good until {moment(one.expires_at)}
              </span>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Withdraw invitation ${one.id}`}
              loading={withdraw.isPending && withdraw.variables === one.id}
              onClick={() => withdraw.mutate(one.id)}
            >
              Withdraw
            </Button>
          </li>
        ))}
      </Rows>
      <ActionError error={withdraw.error} />
      <InviteAgent />
    </>
  );
}
