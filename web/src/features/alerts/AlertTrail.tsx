// SPDX-License-Identifier: Apache-2.0
/** The life of a finding in the order of time: each step and each comment; and a place for one more. */
import { Button, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { commentOnAlert } from "../../shared/api/alerts";
import type { AlertDetail } from "../../shared/api/types";
import { inTime, messagesText } from "../../shared/logic/alerts";
import { moment, wordsOf } from "../../shared/logic/text/format";
import { ActionError } from "../../shared/ui/ActionError";
import { AlertWord } from "../../shared/ui/alerts/AlertBadge";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";

export function AlertTrail({ alert }: { alert: AlertDetail }) {
  const allowed = useMay(alert.project, "developer");
  return (
    <>
      <ol className="trail">
        {inTime(alert.history, alert.comments).map((one) => (
          <li key={one.key}>
            <div className="trail-head">
              {one.state !== null && <AlertWord state={one.state} />}
              <strong>{one.who ?? "nalm"}</strong>
              <span className="soft">{moment(one.at)}</span>
              {one.notified && <span className="tag">{messagesText(one.messages)}</span>}
            </div>
            <p className="trail-text">{wordsOf(one.who, one.text)}</p>
          </li>
        ))}
      </ol>
      {allowed && <CommentForm id={alert.id} />}
    </>
  );
}

function CommentForm({ id }: { id: number }) {
  const form = useForm({ initialValues: { text: "" } });
  const { text } = form.values;
  const comment = useAction(() => commentOnAlert(id, text), { renews: ["alert"], onDone: form.reset });
  return (
    <form className="form spaced" onSubmit={form.onSubmit(() => comment.mutate(undefined))}>
      <Textarea label="Comment" autosize minRows={2} {...form.getInputProps("text")} />
      <ActionError error={comment.error} />
      <Button type="submit" size="xs" variant="default" loading={comment.isPending} disabled={!text.trim()}>
        Add comment
      </Button>
    </form>
  );
}
