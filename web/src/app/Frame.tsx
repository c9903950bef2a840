// SPDX-License-Identifier: Apache-2.0
/** What every page has around it: where one is, the way to the other pages, the scheme, the help. */
import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatchRoute, useNavigate, useParams } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense, useEffect, useState } from "react";
import { jobQuery } from "../shared/api/jobs";
import { projectQuery } from "../shared/api/queries";
import { AccountMenu } from "../shared/ui/AccountMenu";
import { useKeys } from "../shared/ui/hooks/useKeys";
import { usePrintedLight } from "../shared/ui/hooks/usePrintedLight";
import { useMay, useSession } from "../shared/ui/hooks/useSession";
import { Icon } from "../shared/ui/Icon";
import { openAlertsOf } from "../shared/ui/run/ChangeText";
import { ConnectionLine } from "./ConnectionLine";
import { HelpDialog } from "./HelpDialog";

const GoTo = lazy(() => import("./GoTo"));

export function Frame() {
  const project = useProject();
  const navigate = useNavigate();
  const [helpOpen, help] = useDisclosure(false);
  const [loaded, setLoaded] = useState(false);
  const [going, goTo] = useDisclosure(false, { onOpen: () => setLoaded(true) });
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "dark" ? "light" : "dark";

  usePrintedLight();
  useHotkeys([["mod+K", goTo.open]], []);
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
            <HeadButton label="Go to" icon="search" dialog keys="Control+K" onClick={goTo.open} />
            <HeadButton
              label={`Use ${other} colours`}
              icon={scheme === "dark" ? "sun" : "moon"}
              onClick={() => setColorScheme(other)}
            />
            <HeadButton label="Help and keys" icon="help" dialog keys="?" onClick={help.open} />
            <AccountMenu />
          </div>
        </div>
      </header>
      <ConnectionLine />
      <main id="content" className="main" tabIndex={-1}>
        <Outlet />
      </main>
      <HelpDialog opened={helpOpen} onClose={help.close} />
      {loaded && (
        <Suspense>
          <GoTo project={project} opened={going} onClose={goTo.close} />
        </Suspense>
      )}
    </>
  );
}

interface HeadButtonProps {
  label: string;
  icon: ComponentProps<typeof Icon>["name"];
  /** It opens a dialog. */
  dialog?: boolean;
  /** Keys that do the same. */
  keys?: string;
  onClick: () => void;
}

function HeadButton({ label, icon, dialog, keys, onClick }: HeadButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      aria-haspopup={dialog ? "dialog" : undefined}
      aria-keyshortcuts={keys}
      onClick={onClick}
    >
      <Icon name={icon} size={17} />
    </ActionIcon>
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

/** Of a phone: all tabs would take two lines. */
const NARROW = "(max-width: 40rem)";
const EXACT = { exact: true, includeSearch: false } as const;
const WITHIN = { exact: false, includeSearch: false } as const;

/** On a narrow page these are in a menu. */
const FURTHER = [
  { to: "/p/$project/features", word: "Features", options: EXACT },
  { to: "/p/$project/models", word: "Models", options: WITHIN },
  { to: "/p/$project/detection-quality", word: "Quality", options: EXACT },
  { to: "/p/$project/queue", word: "Queue", options: EXACT },
  { to: "/p/$project/settings", word: "Settings", options: EXACT },
] as const;

interface MoreProps {
  tabs: readonly (typeof FURTHER)[number][];
  params: { project: string };
}

function MoreTabs({ tabs, params }: MoreProps) {
  const matches = useMatchRoute();
  const here = tabs.find(({ to, options }) => matches({ to, params, fuzzy: !options.exact }) !== false);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className="tab more-tab" {...(here ? CURRENT : {})}>
          {here?.word ?? "More"} <Icon name="down" size={12} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {tabs.map(({ to, word }) => (
          <Menu.Item key={to} renderRoot={(props) => <Link to={to} params={params} {...props} />}>
            {word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ProjectTabs({ project }: { project: string }) {
  const params = { project };
  const maintains = useMay(project, "maintainer");
  const exact = { exact: true, includeSearch: false } as const;
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const further = FURTHER.filter((tab) => tab.word !== "Settings" || maintains);
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
        {narrow ? (
          <MoreTabs tabs={further} params={params} />
        ) : (
          further.map((tab) => (
            <Link key={tab.to} to={tab.to} params={params} className="tab" activeOptions={tab.options}>
              {tab.word}
            </Link>
          ))
        )}
      </nav>
    </>
  );
}

/** With the number of open findings, once it is known and not 0; the icon of the browser's tab tells of them, too. */
function AlertsTab({ project }: { project: string }) {
  const open = useQuery(projectQuery(project)).data?.alerts_open ?? 0;
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    icon?.setAttribute("href", open > 0 ? "/mark-open.svg" : "/mark.svg");
    return () => icon?.setAttribute("href", "/mark.svg");
  }, [open]);
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
          <span data-quantity={openAlertsOf(project)}>{open}</span>
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
