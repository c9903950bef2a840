// SPDX-License-Identifier: Apache-2.0
/** The generated client, and errors that say what is wrong for the error states of the pages. */
import createClient from "openapi-fetch";
import { answeredWith } from "./connection";
import type { paths } from "./schema";

export class ApiError extends Error {
  constructor(
    /** HTTP status; null when no server answered. */
    readonly status: number | null,
    /** The server's stable name of the error. */
    readonly code: string,
    message: string,
    readonly requestId: string | null = null,
    /** When the server wants to be asked again; null when it did not say. */
    readonly retryAfterSeconds: number | null = null,
    /** What is wrong, and where in the request: `$.field`. */
    readonly details: readonly { path: string; message: string }[] = [],
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export const client = createClient<paths>({ baseUrl: "/" });

const READS = ["GET", "HEAD", "OPTIONS"];
let csrf: string | null = null;

/** What GET /session said; writes made by cookie carry it. */
export function rememberCsrf(token: string | null): void {
  csrf = token;
}

client.use({
  onRequest({ request }) {
    if (csrf !== null && !READS.includes(request.method)) request.headers.set("X-CSRF-Token", csrf);
    return request;
  },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a good answer; throws ApiError for any other, and for none. */
export async function body<T>(request: Promise<Answer<T>>): Promise<T> {
  const answer = await answered(request);
  if (answer.data !== undefined) return answer.data;
  throw fromError(answer.response, answer.error);
}

/** For what is answered without a body; throws as `body` does. */
export async function done(request: Promise<Answer<unknown>>): Promise<void> {
  const answer = await answered(request);
  if (!answer.response.ok) throw fromError(answer.response, answer.error);
}

async function answered<T>(request: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    const answer = await request;
    answeredWith(answer.response.status);
    return answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (error instanceof SyntaxError)
      throw new ApiError(200, "not_json", "The response does not match the API description.");
    answeredWith(null);
    throw new ApiError(null, "unreachable", "No answer from the server.");
  }
}

function fromError(response: Response, error: unknown): ApiError {
  const named = (error as { error?: Partial<Record<string, unknown>> } | null)?.error;
  const word = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  return new ApiError(
    response.status,
    word(named?.name) ?? "http_error",
    word(named?.message) ?? `The server answered ${response.status} ${response.statusText}`.trim(),
    word(named?.request_id),
    Number(response.headers.get("Retry-After")) || null,
    Array.isArray(named?.details) ? named.details : [],
  );
}

/** A wrong address stays wrong; a server that is restarting comes back. */
export function mayRetry(failures: number, error: Error): boolean {
  const status = error instanceof ApiError ? error.status : null;
  return failures < 2 && (status === null || status >= 500);
}

/** Milliseconds until the next try: what the server said, or a second, then two. */
export function pauseBeforeRetry(failures: number, error: Error): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return (seconds ?? 2 ** failures) * 1_000;
}
