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

test("a second press while its request is under way sends nothing; another request is sent beside it", async () => {
  const ended: (() => void)[] = [];
  const send = vi.fn((_row: { id: number }) => new Promise<void>((end) => ended.push(end)));
  function Rows() {
    const action = useAction(send);
    return [1, 2].map((id) => (
      <button key={id} type="button" onClick={() => action.mutate({ id })}>
        {id}
      </button>
    ));
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Rows />
    </QueryClientProvider>,
  );
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  const sent = () => send.mock.calls.map(([row]) => row.id);
  await act(async () => {
    press("1");
    press("1");
  });
  await act(async () => press("1"));
  expect(sent()).toEqual([1]);
  await act(async () => press("2"));
  expect(sent()).toEqual([1, 2]);
  await act(async () => ended[0]?.());
  await act(async () => press("2"));
  await act(async () => press("1"));
  expect(sent()).toEqual([1, 2, 1]);
});
