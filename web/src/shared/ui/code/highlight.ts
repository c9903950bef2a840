// SPDX-License-Identifier: Apache-2.0
/** C source in colour: each line as pieces of one kind. */
import c from "highlight.js/lib/languages/c";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({ c });

export interface Piece {
  text: string;
  /** Of highlight.js, such as `keyword`; null: plain. */
  kind: string | null;
}

type Node = { type: string; value?: string; children?: Node[]; properties?: { className?: unknown } };

/** Only kinds that are worth a colour in C. */
const SHOWN = new Set([
  "keyword",
  "type",
  "built_in",
  "literal",
  "number",
  "string",
  "comment",
  "meta",
  "title",
]);

/** The lines in the order given; a comment or string over several lines is coloured on all of them. */
export function highlighted(lines: readonly string[]): Piece[][] {
  const found: Piece[][] = [[]];
  const walk = (node: Node, kind: string | null): void => {
    if (node.type === "text") {
      (node.value ?? "").split("\n").forEach((text, at) => {
        if (at > 0) found.push([]);
        if (text !== "") found.at(-1)?.push({ text, kind });
      });
      return;
    }
    const named = [node.properties?.className].flat().map((one) => String(one ?? "").replace("hljs-", ""));
    const own = named.find((one) => SHOWN.has(one)) ?? kind;
    for (const child of node.children ?? []) walk(child, own);
  };
  walk(lowlight.highlight("c", lines.join("\n")) as Node, null);
  return found;
}
