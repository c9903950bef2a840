// SPDX-License-Identifier: Apache-2.0
/** What administrators set of the whole server: people, agents and pools, and the log of all that was done. */
import { getRouteApi } from "@tanstack/react-router";
import { accountsQuery, poolsQuery } from "../api/administration";
import { AccountsPanel } from "../components/AccountsPanel";
import { AgentInvitations } from "../components/AgentInvitations";
import { AuditPanel } from "../components/AuditPanel";
import { NotForYou } from "../components/NotForYou";
import { PageHead } from "../components/PageHead";
import { Panel } from "../components/Panel";
import { PartTabs } from "../components/PartTabs";
import { PoolTable } from "../components/PoolTable";
import { SettingsPart } from "../components/SettingsPart";
import { Loading } from "../components/States";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import type { ServerPart } from "../logic/search";
import { accountsFile } from "../logic/settingsFiles";

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
        <NotForYou title="This is for administrators" advice="Ask one of them for what you need here." />
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
