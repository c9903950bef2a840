// SPDX-License-Identifier: Apache-2.0
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { mockApi } from "./dev/mock-api.ts";

/** `--mode mock` answers /api/v1 from dev/fixtures; otherwise it is passed on to a server on this machine. */
export default defineConfig(({ mode }) => ({
  plugins: [react(), ...(mode === "mock" ? [mockApi()] : [])],
  server: {
    port: 5173,
    ...(mode === "mock" ? {} : { proxy: { "/api": process.env.NALM_SERVER ?? "http://127.0.0.1:8080" } }),
  },
  build: {
    outDir: "../server/nalm_server/static",
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 700,
  },
}));
