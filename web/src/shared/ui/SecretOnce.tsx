// SPDX-License-Identifier: Apache-2.0
import { Button, CopyButton } from "@mantine/core";

/** A secret just made: shown here and never again. */
export function SecretOnce({ title, text }: { title: string; text: string }) {
  return (
    <div className="once" role="status">
      <p>{title}. Copy it now: it is not shown again.</p>
      <code className="command">{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
