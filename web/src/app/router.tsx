// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses of the pages. What a page shows follows from its address alone, so links can be shared. A page's code
 * is loaded when it is first opened, or pointed at; the overview's at once.
 */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
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
  runSearch,
  serverSearch,
  settingsSearch,
  signInSearch,
  stringifySearch,
} from "../logic/search";
import { CrashedPage, NotFoundPage } from "../pages/FailedPages";
import { OverviewPage } from "../pages/OverviewPage";
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
    component: lazyRouteComponent(() => import("../pages/SignInPage"), "SignInPage"),
    validateSearch: signInSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/account",
    component: lazyRouteComponent(() => import("../pages/AccountPage"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project",
    component: lazyRouteComponent(() => import("../pages/CommitsPage"), "CommitsPage"),
    validateSearch: commitsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts",
    component: lazyRouteComponent(() => import("../pages/AlertsPage"), "AlertsPage"),
    validateSearch: alertsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/alerts/$id",
    component: lazyRouteComponent(() => import("../pages/AlertPage"), "AlertPage"),
    validateSearch: alertSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/history",
    component: lazyRouteComponent(() => import("../pages/HistoryPage"), "HistoryPage"),
    validateSearch: historySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/compare",
    component: lazyRouteComponent(() => import("../pages/ComparePage"), "ComparePage"),
    validateSearch: compareSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/features",
    component: lazyRouteComponent(() => import("../pages/FeaturesPage"), "FeaturesPage"),
    validateSearch: featuresSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/models",
    component: lazyRouteComponent(() => import("../pages/ModelsPage"), "ModelsPage"),
    validateSearch: modelsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/quality",
    component: lazyRouteComponent(() => import("../pages/QualityPage"), "QualityPage"),
    validateSearch: qualitySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/runs/$runId",
    component: lazyRouteComponent(() => import("../pages/RunPage"), "RunPage"),
    validateSearch: runSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/queue",
    component: lazyRouteComponent(() => import("../pages/QueuePage"), "QueuePage"),
    validateSearch: queueSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/queue",
    component: lazyRouteComponent(() => import("../pages/QueuePage"), "QueuePage"),
    validateSearch: queueSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs/$jobId",
    component: lazyRouteComponent(() => import("../pages/JobPage"), "JobPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/measure",
    component: lazyRouteComponent(() => import("../pages/MeasurePage"), "MeasurePage"),
    validateSearch: measureSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/backfills/$id",
    component: lazyRouteComponent(() => import("../pages/BackfillPage"), "BackfillPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/bisects/$id",
    component: lazyRouteComponent(() => import("../pages/BisectPage"), "BisectPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts",
    component: lazyRouteComponent(() => import("../pages/HostsPage"), "HostsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/hosts/$host",
    component: lazyRouteComponent(() => import("../pages/HostPage"), "HostPage"),
    validateSearch: hostSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/mine",
    component: lazyRouteComponent(() => import("../pages/MinePage"), "MinePage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new",
    component: lazyRouteComponent(() => import("../pages/NewProjectPage"), "NewProjectPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/server",
    component: lazyRouteComponent(() => import("../pages/ServerPage"), "ServerPage"),
    validateSearch: serverSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/start",
    component: lazyRouteComponent(() => import("../pages/StartPage"), "StartPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/p/$project/settings",
    component: lazyRouteComponent(() => import("../pages/SettingsPage"), "SettingsPage"),
    validateSearch: settingsSearch,
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
