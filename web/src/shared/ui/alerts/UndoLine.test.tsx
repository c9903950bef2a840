// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { UndoLine } from "./UndoLine";

const undoAlerts = vi.hoisted(() => vi.fn());
vi.mock("../../api/alerts", () => ({ ALERT_RENEWS: [], undoAlerts }));
afterEach(() => {
  cleanup();
  undoAlerts.mockReset();
});

function line(onUndone: () => void) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <UndoLine
          project="demo"
          done={{ alerts: [4, 7], text: "2 alerts: acknowledged." }}
          onUndone={onUndone}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

test("the key undoes the change of all alerts, and the line goes", async () => {
  undoAlerts.mockResolvedValue({ changed: [4, 7], refused: [] });
  const onUndone = vi.fn();
  line(onUndone);
  expect(screen.getByRole("status").textContent).toBe("2 alerts: acknowledged.");
  fireEvent.keyDown(document, { key: "u" });
  await waitFor(() => expect(onUndone).toHaveBeenCalledTimes(1));
  expect(undoAlerts).toHaveBeenCalledWith("demo", [4, 7]);
});

test("what cannot be undone stays, with the reason", async () => {
  undoAlerts.mockResolvedValue({
    changed: [4],
    refused: [{ alert: 7, message: "Alert 7 has changed since." }],
  });
  const onUndone = vi.fn();
  line(onUndone);
  fireEvent.click(screen.getByRole("button", { name: /Undo/ }));
  expect((await screen.findByRole("alert")).textContent).toBe("Alert 7 has changed since.");
  expect(onUndone).not.toHaveBeenCalled();
});
