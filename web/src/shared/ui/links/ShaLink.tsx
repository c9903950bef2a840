// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { shortSha } from "../../logic/text/format";

/** A commit of which only the hash is known; leads to what it changed. */
export const ShaLink = ({ project, sha }: { project: string; sha: string }) => (
  <Link to="/p/$project/compare" params={{ project }} search={{ head: sha }} className="mono">
    {shortSha(sha)}
  </Link>
);
