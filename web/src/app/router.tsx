// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses of the pages. What a page shows follows from its address alone, so links can be shared. A page's code
 * is loaded when it is first opened, or pointed at; the overview's at once.
 */
import { createRootRoute, createRoute, createRouter, notFound, redirect } from "@tanstack/react-router";
import { signInSearch } from "../features/account/search";
import { alertSearch, alertsSearch } from "../features/alerts/search";
import { commitsSearch, weeksSearch } from "../features/commits/search";
import { featuresSearch } from "../features/features/search";
import { historySearch } from "../features/history/search";
import { hostSearch } from "../features/hosts/search";
import { modelsSearch, predictedSearch } from "../features/models/search";
import { OverviewPage } from "../features/overview/OverviewPage";
import { qualitySearch } from "../features/quality/search";
import { measureSearch, queueSearch } from "../features/queue/search";
import { runSearch } from "../features/runs/search";
import { serverSearch, settingsSearch } from "../features/settings/search";
import { compareSearch } from "../shared/logic/run/compareSearch";
import { parseSearch, stringifySearch } from "../shared/logic/search";
import { CrashedPage, NotFoundPage } from "./FailedPages";
import { Frame } from "./Frame";
import { lazyPage } from "./lazyPage";

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFoundPage,
});

const NUMBER = /^[1-9]\d{0,14}$/;
const RUN_ID = /^[0-9a-f]{32}$/;

/** There is no page of what cannot be a number, or the id of a run: no server need be asked. */
const onlyIf = (form: RegExp, value: string): void => {
  if (!form.test(value)) throw notFound();
};

/** A page that was renamed: links to its former address still open it. */
const formerAddress = <Path extends string>(path: Path, former: string, present: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: ({ location }) => {
      throw redirect({ href: location.href.replace(`/${former}`, `/${present}`), replace: true });
    },
  });

const routes = [
  createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: lazyPage(() => import("../features/account/SignInPage"), "SignInPage"),
    validateSearch: signInSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/account",
    component: lazyPage(() => import("../features/account/AccountPage"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project",
    component: lazyPage(() => import("../features/commits/CommitsPage"), "CommitsPage"),
    validateSearch: commitsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/weeks",
    component: lazyPage(() => import("../features/commits/WeeksPage"), "WeeksPage"),
    validateSearch: weeksSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts",
    component: lazyPage(() => import("../features/alerts/list/AlertsPage"), "AlertsPage"),
    validateSearch: alertsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts/$id",
    beforeLoad: ({ params }) => onlyIf(NUMBER, params.id),
    component: lazyPage(() => import("../features/alerts/AlertPage"), "AlertPage"),
    validateSearch: alertSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/history",
    component: lazyPage(() => import("../features/history/HistoryPage"), "HistoryPage"),
    validateSearch: historySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/compare",
    component: lazyPage(() => import("../features/compare/ComparePage"), "ComparePage"),
    validateSearch: compareSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/features",
    component: lazyPage(() => import("../features/features/FeaturesPage"), "FeaturesPage"),
    validateSearch: featuresSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/models",
    component: lazyPage(() => import("../features/models/ModelsPage"), "ModelsPage"),
    validateSearch: modelsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/models/predicted",
    component: lazyPage(() => import("../features/models/PredictedPage"), "PredictedPage"),
    validateSearch: predictedSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/models/practices",
    component: lazyPage(() => import("../features/models/PracticesPage"), "PracticesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/detection-quality",
    component: lazyPage(() => import("../features/quality/QualityPage"), "QualityPage"),
    validateSearch: qualitySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/runs/$runId",
    beforeLoad: ({ params }) => onlyIf(RUN_ID, params.runId),
    component: lazyPage(() => import("../features/runs/RunPage"), "RunPage"),
    validateSearch: runSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/queue",
    component: lazyPage(() => import("../features/queue/QueuePage"), "QueuePage"),
    validateSearch: queueSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/queue",
    component: lazyPage(() => import("../features/queue/QueuePage"), "QueuePage"),
    validateSearch: queueSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs/$jobId",
    beforeLoad: ({ params }) => onlyIf(NUMBER, params.jobId),
    component: lazyPage(() => import("../features/queue/JobPage"), "JobPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/measure",
    component: lazyPage(() => import("../features/queue/MeasurePage"), "MeasurePage"),
    validateSearch: measureSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/backfills/$id",
    beforeLoad: ({ params }) => onlyIf(NUMBER, params.id),
    component: lazyPage(() => import("../features/queue/BackfillPage"), "BackfillPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/bisections/$id",
    beforeLoad: ({ params }) => onlyIf(NUMBER, params.id),
    component: lazyPage(() => import("../features/queue/BisectPage"), "BisectPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts",
    component: lazyPage(() => import("../features/hosts/HostsPage"), "HostsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts/$host",
    component: lazyPage(() => import("../features/hosts/HostPage"), "HostPage"),
    validateSearch: hostSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/mine",
    component: lazyPage(() => import("../features/alerts/list/MyAlertsPage"), "MyAlertsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new",
    component: lazyPage(() => import("../features/setup/NewProjectPage"), "NewProjectPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/server",
    component: lazyPage(() => import("../features/settings/ServerPage"), "ServerPage"),
    validateSearch: serverSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/start",
    component: lazyPage(() => import("../features/setup/StartPage"), "StartPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/settings",
    component: lazyPage(() => import("../features/settings/SettingsPage"), "SettingsPage"),
    validateSearch: settingsSearch,
  }),
  formerAddress("/p/$project/quality", "quality", "detection-quality"),
  formerAddress("/p/$project/bisects/$id", "bisects", "bisections"),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: CrashedPage,
  scrollRestoration: true,
  defaultPreload: "intent",
  // What was typed for one alert, project or host is not shown, or sent, for another one.
  defaultRemountDeps: ({ params }) => params,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
