// SPDX-License-Identifier: Apache-2.0
import { Button, CopyButton } from "@mantine/core";

/** Lines to type, with a button that copies them. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command-line">
      <code className="command">{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy} aria-label={`Copy: ${text}`}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
