// SPDX-License-Identifier: Apache-2.0
import "./mantine";
import "uplot/dist/uPlot.min.css";
import "./styles.css";
import "./figures.css";
import "./alerts.css";
import "./compare.css";
import "./overview.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { mayRetry, pauseBeforeRetry } from "../shared/api/client";
import { router } from "./router";
import { theme } from "./theme";

const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: mayRetry, retryDelay: pauseBeforeRetry, staleTime: 1_000 } },
});

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
