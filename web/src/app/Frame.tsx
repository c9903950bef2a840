// SPDX-License-Identifier: Apache-2.0
/** What every page has around it: where one is, the way to the other pages, the scheme, the help. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatchRoute, useNavigate, useParams } from "@tanstack/react-router";
import { jobQuery } from "../shared/api/jobs";
import { projectQuery } from "../shared/api/queries";
import { AccountMenu } from "../shared/ui/AccountMenu";
import { useKeys } from "../shared/ui/hooks/useKeys";
import { useMay, useSession } from "../shared/ui/hooks/useSession";
import { Icon } from "../shared/ui/Icon";
import { ConnectionLine } from "./ConnectionLine";
import { HelpDialog } from "./HelpDialog";

export function Frame() {
  const project = useProject();
  const navigate = useNavigate();
  const [helpOpen, help] = useDisclosure(false);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "dark" ? "light" : "dark";

  useKeys({
    "?": help.open,
    t: () => setColorScheme(other),
    g: () => project && navigate({ to: "/p/$project", params: { project } }),
    h: () => project && navigate({ to: "/p/$project/history", params: { project } }),
    l: () => project && navigate({ to: "/p/$project/alerts", params: { project } }),
  });

  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="top">
        <div className="top-inner">
          <Link to="/" className="brand" aria-label="nalm, overview">
            <img src="/mark.svg" alt="" width={24} height={24} />
            nalm
          </Link>
          {project ? <ProjectTabs project={project} /> : <ServerTabs />}
          <div className="top-end">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Use ${other} colours`}
              onClick={() => setColorScheme(other)}
            >
              <Icon name={scheme === "dark" ? "sun" : "moon"} size={17} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Help and keys"
              aria-haspopup="dialog"
              aria-keyshortcuts="?"
              onClick={help.open}
            >
              <Icon name="help" size={17} />
            </ActionIcon>
            <AccountMenu />
          </div>
        </div>
      </header>
      <ConnectionLine />
      <main id="content" className="main" tabIndex={-1}>
        <Outlet />
      </main>
      <HelpDialog opened={helpOpen} onClose={help.close} />
    </>
  );
}

/** Of the address, or of the job that the address names, once it is known. */
function useProject(): string | undefined {
  const { project, jobId } = useParams({ strict: false });
  const job = useQuery({ ...jobQuery(Number(jobId), true), enabled: jobId !== undefined });
  return project ?? job.data?.project;
}

/** Of a tab whose page is a part of another one. */
const CURRENT = { "aria-current": "page" } as const;

function ProjectTabs({ project }: { project: string }) {
  const params = { project };
  const maintains = useMay(project, "maintainer");
  const exact = { exact: true, includeSearch: false } as const;
  const within = { exact: false, includeSearch: false } as const;
  const byWeek = useMatchRoute()({ to: "/p/$project/weeks", params }) !== false;
  return (
    <>
      <span className="crumb-slash" aria-hidden="true">
        /
      </span>
      <Link
        to="/p/$project"
        params={params}
        className="crumb"
        title={project}
        activeOptions={exact}
        activeProps={{}}
      >
        {project}
      </Link>
      <nav className="tabs" aria-label="Project">
        <Link
          to="/p/$project"
          params={params}
          className="tab"
          activeOptions={exact}
          {...(byWeek ? CURRENT : {})}
        >
          Commits
        </Link>
        <AlertsTab project={project} />
        <Link to="/p/$project/history" params={params} className="tab" activeOptions={exact}>
          History
        </Link>
        <Link to="/p/$project/compare" params={params} className="tab" activeOptions={exact}>
          Compare
        </Link>
        <Link to="/p/$project/features" params={params} className="tab" activeOptions={exact}>
          Features
        </Link>
        <Link to="/p/$project/models" params={params} className="tab" activeOptions={within}>
          Models
        </Link>
        <Link to="/p/$project/detection-quality" params={params} className="tab" activeOptions={exact}>
          Quality
        </Link>
        <Link to="/p/$project/queue" params={params} className="tab" activeOptions={exact}>
          Queue
        </Link>
        {maintains && (
          <Link to="/p/$project/settings" params={params} className="tab" activeOptions={exact}>
            Settings
          </Link>
        )}
      </nav>
    </>
  );
}

/** With the number of open findings, once it is known and not 0. */
function AlertsTab({ project }: { project: string }) {
  const open = useQuery(projectQuery(project)).data?.alerts_open ?? 0;
  return (
    <Link
      to="/p/$project/alerts"
      params={{ project }}
      className="tab"
      activeOptions={{ exact: false, includeSearch: false }}
    >
      Alerts
      {open > 0 && (
        <span className="tab-count">
          {open}
          <span className="hidden-text"> open</span>
        </span>
      )}
    </Link>
  );
}

function ServerTabs() {
  const session = useSession();
  const known = Boolean(session?.name);
  const exact = { exact: true, includeSearch: false } as const;
  return (
    <nav className="tabs" aria-label="Server">
      <Link to="/" className="tab" activeOptions={exact}>
        Overview
      </Link>
      <Link to="/queue" className="tab" activeOptions={exact}>
        Queue
      </Link>
      {known && (
        <>
          <Link to="/hosts" className="tab" activeOptions={{ exact: false, includeSearch: false }}>
            Hosts
          </Link>
          <Link to="/mine" className="tab" activeOptions={exact}>
            My alerts
          </Link>
        </>
      )}
      {session?.administrator && (
        <Link to="/server" className="tab" activeOptions={exact}>
          Server
        </Link>
      )}
    </nav>
  );
}
