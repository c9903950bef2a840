// SPDX-License-Identifier: Apache-2.0
/** The addresses of the pages. What a page shows follows from its address alone, so links can be shared. */
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import {
  alertSearch,
  alertsSearch,
  commitsSearch,
  compareSearch,
  featuresSearch,
  historySearch,
  hostSearch,
  measureSearch,
  modelsSearch,
  parseSearch,
  qualitySearch,
  queueSearch,
  serverSearch,
  settingsSearch,
  signInSearch,
  stringifySearch,
} from "../logic/search";
import { AccountPage } from "../pages/AccountPage";
import { AlertPage } from "../pages/AlertPage";
import { AlertsPage } from "../pages/AlertsPage";
import { BackfillPage } from "../pages/BackfillPage";
import { BisectPage } from "../pages/BisectPage";
import { CommitsPage } from "../pages/CommitsPage";
import { ComparePage } from "../pages/ComparePage";
import { CrashedPage, NotFoundPage } from "../pages/FailedPages";
import { FeaturesPage } from "../pages/FeaturesPage";
import { HistoryPage } from "../pages/HistoryPage";
import { HostPage } from "../pages/HostPage";
import { HostsPage } from "../pages/HostsPage";
import { JobPage } from "../pages/JobPage";
import { MeasurePage } from "../pages/MeasurePage";
import { MinePage } from "../pages/MinePage";
import { ModelsPage } from "../pages/ModelsPage";
import { NewProjectPage } from "../pages/NewProjectPage";
import { OverviewPage } from "../pages/OverviewPage";
import { QualityPage } from "../pages/QualityPage";
import { QueuePage } from "../pages/QueuePage";
import { RunPage } from "../pages/RunPage";
import { ServerPage } from "../pages/ServerPage";
import { SettingsPage } from "../pages/SettingsPage";
import { SignInPage } from "../pages/SignInPage";
import { StartPage } from "../pages/StartPage";
import { Frame } from "./Frame";

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashedPage,
});

const routes = [
  createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: SignInPage,
    validateSearch: signInSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/account", component: AccountPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project",
    component: CommitsPage,
    validateSearch: commitsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts",
    component: AlertsPage,
    validateSearch: alertsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts/$id",
    component: AlertPage,
    validateSearch: alertSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/history",
    component: HistoryPage,
    validateSearch: historySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/compare",
    component: ComparePage,
    validateSearch: compareSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/features",
    component: FeaturesPage,
    validateSearch: featuresSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/models",
    component: ModelsPage,
    validateSearch: modelsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/quality",
    component: QualityPage,
    validateSearch: qualitySearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/p/$project/runs/$runId", component: RunPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/queue",
    component: QueuePage,
    validateSearch: queueSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/queue",
    component: QueuePage,
    validateSearch: queueSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/jobs/$jobId", component: JobPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/measure",
    component: MeasurePage,
    validateSearch: measureSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/p/$project/backfills/$id", component: BackfillPage }),
  createRoute({ getParentRoute: () => root, path: "/p/$project/bisects/$id", component: BisectPage }),
  createRoute({ getParentRoute: () => root, path: "/hosts", component: HostsPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts/$host",
    component: HostPage,
    validateSearch: hostSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/mine", component: MinePage }),
  createRoute({ getParentRoute: () => root, path: "/new", component: NewProjectPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/server",
    component: ServerPage,
    validateSearch: serverSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/p/$project/start", component: StartPage }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/settings",
    component: SettingsPage,
    validateSearch: settingsSearch,
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
