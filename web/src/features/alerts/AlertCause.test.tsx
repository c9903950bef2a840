// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Explanation } from "../../shared/api/types";
import { AlertCause } from "./AlertCause";

afterEach(cleanup);

const TEXT =
  "Pipeline use: more data misses the caches, which can account for all of the 173.7 cycles/packet.";
const SHARE = {
  low: 177.1,
  high: 296.8,
  of: 173.7,
  priced_with: "latencies that this host was measured to have",
};

test("how much events can account for is said once, in the explanation's own words", () => {
  const reported = { text: TEXT, share: SHARE, evidence: [], missing: [] } as unknown as Explanation;
  render(
    <MantineProvider>
      <AlertCause reported={reported} />
    </MantineProvider>,
  );
  expect(screen.getByText(/all of the 173\.7 cycles/)).toBeTruthy();
  expect(document.body.textContent?.match(/173\.7/g)).toHaveLength(1);
  expect(document.body.textContent).not.toMatch(/177\.1|296\.8/);
  expect(screen.getByText(/a bound and no measurement/)).toBeTruthy();
});
