// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ApiError, body, mayRetry, pauseBeforeRetry } from "./client";

const answered = (status: number, error: unknown) =>
  body(Promise.resolve({ error, response: new Response(null, { status, statusText: "Gone wrong" }) }));

test("an error of the API keeps its name, message and request", async () => {
  const error = { error: { name: "not_found", message: "No such run.", request_id: "7f3a" } };
  await expect(answered(404, error)).rejects.toMatchObject({
    status: 404,
    code: "not_found",
    message: "No such run.",
    requestId: "7f3a",
  });
});

test("an error of something in between still says what came", async () => {
  await expect(answered(502, "<html>")).rejects.toMatchObject({ status: 502, message: /502 Gone wrong/ });
});

test("no answer at all is told apart from a bad one", async () => {
  await expect(body(Promise.reject(new TypeError("Failed to fetch")))).rejects.toMatchObject({
    status: null,
  });
});

test("a cancelled request is no error of the server", async () => {
  const cancelled = new DOMException("", "AbortError");
  await expect(body(Promise.reject(cancelled))).rejects.toBe(cancelled);
});

test("what cannot get better is not asked again", () => {
  expect(mayRetry(0, new ApiError(404, "not_found", ""))).toBe(false);
  expect(mayRetry(0, new ApiError(503, "busy", ""))).toBe(true);
  expect(mayRetry(0, new ApiError(null, "unreachable", ""))).toBe(true);
  expect(mayRetry(2, new ApiError(null, "unreachable", ""))).toBe(false);
});

test("a busy server is asked again when it said", async () => {
  const response = new Response("{}", { status: 503, headers: { "Retry-After": "5" } });
  const error = (await body(Promise.resolve({ error: {}, response })).catch(
    (one: unknown) => one,
  )) as ApiError;
  expect(pauseBeforeRetry(0, error)).toBe(5_000);
  expect(pauseBeforeRetry(1, new ApiError(500, "internal_error", ""))).toBe(2_000);
});
