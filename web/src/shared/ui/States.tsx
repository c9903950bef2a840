// SPDX-License-Identifier: Apache-2.0
/** What stands in the place of content: while it loads, when there is none, when it cannot be had. */
import { Button, Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { SignInButton } from "./AccountMenu";
import { useSession } from "./hooks/useSession";
import { Icon, type IconName } from "./Icon";
import { ServerText } from "./ServerText";

export function Loading({ rows = 6, height = 34 }: { rows?: number; height?: number }) {
  return (
    <div className="panel">
      <div className="panel-body" role="status" aria-label="Loading">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are alike and never move
          <Skeleton key={row} height={height} mt={row ? 12 : 4} radius="sm" />
        ))}
      </div>
    </div>
  );
}

interface StateProps {
  icon: IconName;
  title: string;
  children: ReactNode;
}

export function CenterState({ icon, title, children }: StateProps) {
  return (
    <div className="panel center-state">
      <span className="soft">
        <Icon name={icon} size={30} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A part of a page that failed: the same in a few lines. */
export function FailedPart({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className="failed-part">
      <p>
        <strong>
          <Icon name="invalid" /> {titleOf(error)}.
        </strong>{" "}
        <ServerText>{adviceOf(error)}</ServerText>{" "}
        {requestId && <span className="mono">Request {requestId}</span>}
      </p>
      {!isExpired(error) && (
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A failed request: what is wrong and what to do next. */
export function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const status = error instanceof ApiError ? error.status : null;
  const requestId = error instanceof ApiError ? error.requestId : null;
  const stranger = useSession()?.name === null && status !== null && [401, 403, 404].includes(status);
  const inLog = status === null || status >= 500;
  return (
    <div role="alert">
      <CenterState icon={status === 404 ? "inconclusive" : "invalid"} title={titleOf(error)}>
        <p>
          <ServerText>{adviceOf(error)}</ServerText>
        </p>
        {stranger && status !== 401 && <p>It may be private. Only members of its project can see it.</p>}
        {requestId && inLog && <p className="mono">Request {requestId}</p>}
        <div className="state-actions">
          {stranger && <SignInButton />}
          {!stranger && !isExpired(error) && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          <Link to="/">All projects</Link>
        </div>
      </CenterState>
    </div>
  );
}

/** What it needs was removed by the project's rules: no further try can have it. */
export const isExpired = (error: Error): boolean => error instanceof ApiError && error.status === 410;

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return "This page failed";
  if (error.status === null) return "The server is not responding";
  if (error.status === 404) return "Not found";
  if (error.status === 401) return "Sign in to see this";
  if (isExpired(error)) return "The report has aged out";
  return error.status >= 500 ? "The server failed" : "The server rejected the request";
}

function adviceOf(error: Error): string {
  if (error instanceof ApiError && error.status === null)
    return "Check that nalm-server is running and that this address is correct. The page retries automatically.";
  if (error instanceof ApiError && error.status !== null && error.status >= 500)
    return `${error.message} The server's log has the cause under the request's id.`;
  if (error instanceof ApiError && error.status === 401)
    return "You need an account on this server to see this page.";
  // The address that the message ends with is the API's.
  return isExpired(error) ? error.message.replace(/, see \/\S+$/, ".") : error.message;
}
