// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

// Other files reset modules: the class of errors must be the same in all of these.
vi.resetModules();
const { ApiError } = await import("../../api/client");
const { ActionError } = await import("../ActionError");
const { useAction } = await import("./useAction");
const { useSession } = await import("./useSession");

afterEach(cleanup);

interface Props {
  send: () => Promise<void>;
  read: () => Promise<string>;
  onDone: () => void;
}

function Form({ send, read, onDone }: Props) {
  useQuery({ queryKey: ["alert"], queryFn: read });
  const name = useSession()?.name;
  const action = useAction(send, { renews: ["alert"], onDone });
  return (
    <>
      <p>{name}</p>
      <button type="button" onClick={() => action.mutate(undefined)}>
        Send
      </button>
      <ActionError error={action.error} />
    </>
  );
}

async function shown(props: Props) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(["session"], { name: "mona" });
  render(
    <QueryClientProvider client={client}>
      <Form {...props} />
    </QueryClientProvider>,
  );
  await screen.findByText("mona");
  return client;
}

test("a form is reset as soon as its request is done, not after what it renews is read", async () => {
  const onDone = vi.fn();
  const read = vi
    .fn()
    .mockResolvedValueOnce("first")
    .mockReturnValue(new Promise(() => {}));
  await shown({ send: async () => {}, read, onDone });
  await act(async () => fireEvent.click(screen.getByRole("button")));
  await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
  await waitFor(() => expect(read).toHaveBeenCalledTimes(2));
});

test("a session that has ended leaves the form as it is, and says how to go on", async () => {
  const refused = new ApiError(401, "unauthorized", "Sign in first.");
  const onDone = vi.fn();
  const client = await shown({ send: () => Promise.reject(refused), read: async () => "", onDone });
  await act(async () => fireEvent.click(screen.getByRole("button")));
  expect((await screen.findByRole("alert")).textContent).toContain("What you typed is kept.");
  expect(client.getQueryState(["session"])).toMatchObject({
    data: { name: "mona" },
    isInvalidated: true,
    fetchStatus: "idle",
  });
  expect(onDone).not.toHaveBeenCalled();
});
