// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { moment } from "../../shared/logic/text/format";
import { controlsText } from "./FalseAlarmPanel";

const NEXT = "2026-11-22T09:00:00Z";
const text = (next: string | null, now: string) =>
  controlsText({ controls_per_day: 1, next_control_at: next }, Date.parse(now)).split("; ")[1];

test("a control that waits for a host is due, not the next one of a time that has passed", () => {
  expect(text(NEXT, "2026-11-22T08:59:00Z")).toBe(`the next ${moment(NEXT)}.`);
  expect(text(NEXT, "2026-11-24T10:00:00Z")).toBe(`one has been due since ${moment(NEXT)}.`);
  expect(text(null, "2026-11-24T10:00:00Z")).toBe("none is planned.");
});
