// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Project, ProjectCreated } from "../../shared/api/types";
import { hookAddresses } from "../../shared/logic/settings";
import { type Done, nextStep, type SetupStep, submitCommands } from "../../shared/logic/setup";
import { Command } from "../../shared/ui/Command";
import { useMay, useSession } from "../../shared/ui/hooks/useSession";
import { Icon } from "../../shared/ui/Icon";
import { InviteAgent } from "../../shared/ui/InviteAgent";
import { Facts } from "../../shared/ui/run/HostFacts";
import { SecretOnce } from "../../shared/ui/SecretOnce";

interface Props {
  about: Project;
  done: Record<SetupStep, Done>;
  /** The secrets, if the project was created just now. */
  made: ProjectCreated | undefined;
}

/** Five steps; the next one is marked. */
export function SetupSteps({ about, done, made }: Props) {
  const next = nextStep(done);
  const step = (name: SetupStep, title: string, children: ReactNode) => (
    <Step title={title} done={done[name]} next={name === next}>
      {children}
    </Step>
  );
  const project = about.name;
  return (
    <ol className="panel setup">
      {step(
        "describe",
        "Describe the network function",
        <>
          <p>In the repository. Review the proposed file and commit it:</p>
          <Command text="nalm init" />
        </>,
      )}
      {step("host", "Connect a bench host", <HostStep token={made?.upload_token} />)}
      {step("webhook", "Set up the webhook", <HookStep project={project} secret={made?.webhook_secret} />)}
      {step(
        "push",
        `Push to ${about.default_branch}`,
        <p>
          The commit appears{" "}
          <Link to="/p/$project/queue" params={{ project }}>
            in the queue
          </Link>{" "}
          while it is built and measured. Or{" "}
          <Link to="/p/$project/measure" params={{ project }}>
            measure an existing commit
          </Link>
          .
        </p>,
      )}
      {step(
        "verdict",
        "Read the first verdict",
        done.verdict === "yes" ? (
          <Link to="/p/$project" params={{ project }}>
            Open the first result
          </Link>
        ) : (
          <p className="soft">The verdict appears when both sides are measured.</p>
        ),
      )}
    </ol>
  );
}

const DONE_WORDS: Record<Done, string> = { yes: "done", no: "open", unknown: "cannot be seen from here" };

function Step({
  title,
  done,
  next,
  children,
}: {
  title: string;
  done: Done;
  next: boolean;
  children: ReactNode;
}) {
  return (
    <li className={`setup-step${next ? " next" : ""}`} aria-current={next ? "step" : undefined}>
      <h2>
        <span className={done === "yes" ? "better" : "soft"}>
          <Icon name={done === "yes" ? "check" : next ? "right" : "clock"} size={16} />
        </span>{" "}
        {title} <span className="soft setup-state">{DONE_WORDS[done]}</span>
      </h2>
      {children}
    </li>
  );
}

function HostStep({ token }: { token: string | undefined }) {
  const administrator = useSession()?.administrator ?? false;
  return (
    <>
      {administrator ? (
        <InviteAgent />
      ) : (
        <p>An administrator invites the agent of a bench host if none of these hosts is suitable.</p>
      )}
      <p>Or measure in your CI, with the upload token, and send the result:</p>
      <Command text={submitCommands(window.location.origin)} />
      {token && <SecretOnce title="Upload token, for the file upload.token" text={token} />}
    </>
  );
}

function HookStep({ project, secret }: { project: string; secret: string | undefined }) {
  const maintains = useMay(project, "maintainer");
  return (
    <>
      <p>In the forge, add a webhook for pushes and pull requests with its address below and the secret:</p>
      <Facts
        pairs={hookAddresses(window.location.origin, project).map(
          ([forge, address]) => [forge, <code key={forge}>{address}</code>] as const,
        )}
      />
      {secret && <SecretOnce title="Webhook secret" text={secret} />}
      <p className="soft">Without a webhook the server polls the repository every few minutes.</p>
      {maintains && !secret && (
        <p className="soft">
          The secret was shown when the project was created.{" "}
          <Link to="/p/$project/settings" params={{ project }} search={{ part: "repository" }}>
            Create a new secret
          </Link>
        </p>
      )}
    </>
  );
}
