// SPDX-License-Identifier: Apache-2.0
/** What administrators set of the whole server: people, agents and pools, and the log of all that was done. */
import { getRouteApi } from "@tanstack/react-router";
import { accountsQuery, poolsQuery } from "../../shared/api/administration";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { NoAccess } from "../../shared/ui/NoAccess";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { SettingsPart } from "../../shared/ui/SettingsPart";
import { Loading } from "../../shared/ui/States";
import { AccountsPanel } from "./access/AccountsPanel";
import { AgentInvitations } from "./access/AgentInvitations";
import { AuditPanel } from "./access/AuditPanel";
import { accountsFile } from "./files";
import { PartTabs } from "./PartTabs";
import { PoolTable } from "./project/PoolTable";
import type { ServerPart } from "./search";

const route = getRouteApi("/server");

const WORDS: Record<ServerPart, string> = {
  people: "People",
  agents: "Agents and pools",
  audit: "Audit log",
};

export function ServerPage() {
  useTitle("Server");
  const { part = "people" } = route.useSearch();
  const session = useSession();
  return (
    <>
      <PageHead title="Server" />
      {session === undefined && <Loading />}
      {session?.administrator === false && (
        <NoAccess title="Only administrators can see this page" advice="Ask an administrator." />
      )}
      {session?.administrator && (
        <>
          <PartTabs label="Server settings" words={WORDS} current={part} first="people" />
          {part === "people" && (
            <SettingsPart
              title="Accounts"
              query={accountsQuery()}
              saved={{ name: "accounts", what: "the accounts", rows: accountsFile }}
            >
              {(accounts) => <AccountsPanel accounts={accounts} />}
            </SettingsPart>
          )}
          {part === "agents" && <Agents />}
          {part === "audit" && <AuditPanel />}
        </>
      )}
    </>
  );
}

function Agents() {
  return (
    <>
      <Panel title="Invitations of agents">
        <AgentInvitations />
      </Panel>
      <SettingsPart title="Pools" query={poolsQuery()}>
        {(pools) => <PoolTable pools={pools} />}
      </SettingsPart>
    </>
  );
}
