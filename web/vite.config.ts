// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { mockApi } from "./dev/mock-api.ts";

const PACKED = /\.(js|css|html|svg|json|webmanifest)$/;
const LEAST_BYTES = 1_000;
const LEAST_CHUNK_BYTES = 30_000;

/** Beside each text file of the build the same in brotli and gzip, which the server sends as they are. */
const precompressed = (folder: string): Plugin => ({
  name: "precompressed",
  apply: "build",
  closeBundle() {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = join(folder, name);
      if (!PACKED.test(name) || statSync(file).size < LEAST_BYTES) continue;
      const content = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(content));
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

const OUT = "../server/nalm_server/static";

/** `--mode mock` answers /api/v1 from dev/fixtures; otherwise it is passed on to a server on this machine. */
export default defineConfig(({ mode }) => ({
  plugins: [react(), precompressed(OUT), ...(mode === "mock" ? [mockApi()] : [])],
  server: {
    port: 5173,
    ...(mode === "mock" ? {} : { proxy: { "/api": process.env.NALM_SERVER ?? "http://127.0.0.1:8080" } }),
  },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `assets/${name.split("~", 1)[0]}-[hash].js`,
        codeSplitting: {
          groups: [
            // What the first view needs, in one file.
            { name: "first", tags: ["$initial"], priority: 1 },
            // What several other pages share, by the set of pages that need it: no file is a request for little.
            {
              name: "shared",
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: LEAST_CHUNK_BYTES,
            },
          ],
        },
      },
    },
  },
}));
